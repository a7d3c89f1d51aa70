package cuda

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/units"
)

// Without a card
//
// NVRTC needs no driver. Its assembler tells, beside the code that is not used here, how many registers each kernel takes on an architecture,
// and what it keeps in memory since there are no more: what a schedule costs before somebody has a card to run it on.

// oldest is the architecture for machines that name none.
const oldest = "sm_70"

// assemble makes PTX for a machine, below what the assembler says of each kernel.
func assemble(ctx context.Context, l libraries, s device.Settings, m *target.Module, on *machine.Processor) (string, error) {
	architecture := cmp.Or(on.CardArchitecture(), oldest)
	nvrtc, err := l.compiler()
	if err != nil {
		clang, _ := l.clang()
		if clang == nil {
			return "", err
		}
		sm, _ := strconv.Atoi(strings.TrimPrefix(architecture, "sm_"))
		ptx, err := clang.compile(ctx, sm, s.Strict, m, s.Compile)
		return fmt.Sprintf("// clang %s for %s; what kernels take is known where NVRTC is installed\n%s", clang.version, architecture, ptx), err
	}
	program, log, err := nvrtc.built(m, append(flags(architecture, s.Strict), "--ptxas-options=-v"), s.Compile)
	defer nvrtc.destroy(program)
	if err != nil {
		return "", err
	}
	ptx, err := nvrtc.output(nvrtc.GetPTXSize, nvrtc.GetPTX, program)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("// NVRTC %s for %s\n", nvrtc.version(), architecture)
	for _, k := range kernelsOf(log) {
		k.takes.Local += m.Dynamic[k.name]
		text += "// " + k.String() + "\n"
	}
	return text + strings.TrimRight(string(ptx), "\x00"), nil
}

// A kernelTakes is what the assembler says of a kernel.
type kernelTakes struct {
	name    string
	takes   device.Footprint
	spilled int64 // bytes that are stored and loaded again
}

// String is a line for people.
func (k kernelTakes) String() string {
	text := fmt.Sprintf("%s: %d registers of an item", k.name, k.takes.Registers)
	if k.takes.Private > 0 {
		text += fmt.Sprintf(", %s of an item in memory", units.Bytes(k.takes.Private))
	}
	if k.spilled > 0 {
		text += fmt.Sprintf(", %s of spills", units.Bytes(k.spilled))
	}
	if k.takes.Local > 0 {
		text += fmt.Sprintf(", %s of local memory of a group", units.Bytes(k.takes.Local))
	}
	return text
}

// The assembler's words, each with a number or a name.
var (
	entryWords     = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	stackWords     = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	registersWords = regexp.MustCompile(`Used (\d+) registers`)
	sharedWords    = regexp.MustCompile(`(\d+) bytes smem`)
)

// kernelsOf reads what the assembler says.
func kernelsOf(log string) (list []kernelTakes) {
	number := func(text string) int64 { n, _ := strconv.ParseInt(text, 10, 64); return n }
	for line := range strings.Lines(log) {
		if found := entryWords.FindStringSubmatch(line); found != nil {
			list = append(list, kernelTakes{name: found[1]})
		}
		if len(list) == 0 {
			continue
		}
		last := &list[len(list)-1]
		if found := stackWords.FindStringSubmatch(line); found != nil {
			last.takes.Private, last.spilled = number(found[1]), number(found[2])+number(found[3])
		}
		if found := registersWords.FindStringSubmatch(line); found != nil {
			last.takes.Registers = number(found[1])
		}
		if found := sharedWords.FindStringSubmatch(line); found != nil {
			last.takes.Local = number(found[1])
		}
	}
	return list
}
