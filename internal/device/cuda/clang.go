package cuda

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// How clang stands in for NVRTC
//
// Where NVIDIA's run-time compiler is not installed, a clang of any recent version makes PTX of a text by a back end of its own, without NVIDIA's headers: clang.cuh
// declares what a text needs. The driver makes code of PTX, for any card that is not older. What is missing is NVIDIA's library of functions, so a kernel that
// calls one is refused.

// clangWords are clang's declarations of CUDA's words.
//
//go:embed clang.cuh
var clangWords string

// A clang is a command.
type clang struct{ path, version string }

// clangs are the names of the command, newest first; those before 16 do not know sm_90.
var clangs = []string{"clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang"}

// findClang finds the newest clang with a back end for NVIDIA's cards.
func findClang() (*clang, error) {
	for _, name := range clangs {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		targets, err := exec.CommandContext(ctx, path, "--print-targets").Output()
		said, _ := exec.CommandContext(ctx, path, "--version").Output()
		stop()
		if err != nil || !strings.Contains(string(targets), "nvptx64") {
			continue
		}
		return &clang{path, versionWord.FindString(string(said))}, nil
	}
	return nil, fmt.Errorf("there is no clang of version 16 or newer with NVIDIA's back end (Debian: clang-19), which would do in its place")
}

var versionWord = regexp.MustCompile(`[0-9]+\.[0-9.]+`)

// ptxVersions are the architectures for which clang makes PTX, newest first, with the version of PTX that knows them.
var ptxVersions = []struct{ architecture, version int }{{90, 78}, {89, 78}, {86, 71}, {80, 70}, {75, 63}, {70, 60}}

// flags are those for an architecture, such as 86: of the newest one that is no newer.
func (c *clang) flags(architecture int, strict bool) []string {
	chosen := ptxVersions[len(ptxVersions)-1]
	for _, v := range ptxVersions {
		if v.architecture <= architecture {
			chosen = v
			break
		}
	}
	contract := "-ffp-contract=fast"
	if strict {
		contract = "-ffp-contract=off"
	}
	return []string{"-x", "cuda", "--cuda-device-only", fmt.Sprintf("--cuda-gpu-arch=sm_%d", chosen.architecture), "-Xclang", "-target-feature", "-Xclang", fmt.Sprintf("+ptx%d", chosen.version),
		"-nocudainc", "-nocudalib", "-std=c++17", "-O3", "-w", contract}
}

// externFunction is a function of NVIDIA's library in PTX.
var externFunction = regexp.MustCompile(`(?s)\.extern \.func.*?\b([a-z]\w*)\s*\n?\(`)

// compile makes PTX of a module for an architecture, such as 86.
func (c *clang) compile(ctx context.Context, sm int, strict bool, m *target.Module, o device.CompileOptions) ([]byte, error) {
	dir, err := os.MkdirTemp(o.TempDir, "clang-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	words, text := filepath.Join(dir, "clang.cuh"), filepath.Join(dir, m.Symbol+".cu")
	if err := errors.Join(os.WriteFile(words, []byte(clangWords), 0o600), os.WriteFile(text, []byte(m.Code), 0o600)); err != nil {
		return nil, err
	}
	if o.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, o.Timeout)
		defer stop()
	}
	var log strings.Builder
	command := exec.CommandContext(ctx, c.path, append(c.flags(sm, strict), "-include", words, "-S", "-o", "-", text)...)
	command.Stderr = &log
	ptx, err := command.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", c.path, ctx.Err())
	}
	if err != nil {
		saved := ""
		if path, err := scratch.SaveReproducer(o.ReproducerDir, m.Code, ".cu"); err == nil {
			saved = "; the text is in " + path
		}
		return nil, &source.InternalError{Stage: "the compiler of CUDA", Err: &device.RefusedError{Message: fmt.Sprintf("clang %s refused the kernel %s (%v)%s\n%s", c.version, m.Symbol, err, saved, log.String())}}
	}
	if found := externFunction.FindSubmatch(ptx); found != nil {
		return nil, device.Lacks(row, fmt.Sprintf("function %s of NVIDIA's library, since clang compiles for it: install NVRTC, or take Ricci's own functions by --numerics strict", found[1]))
	}
	return ptx, nil
}
