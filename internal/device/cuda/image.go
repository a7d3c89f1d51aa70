package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// Images for other programs
//
// A library for programs without Ricci carries PTX, of which any driver makes code for any card that is not older. No card is
// needed to make it, and no driver.

// inDLPack is DLPack's number of the devices.
const inDLPack = 2

// image makes PTX of a module for a machine, or leaves it as it is where nothing here does.
func image(ctx context.Context, l libraries, module *target.Module, m *machine.Processor, o device.ImageOptions) (*device.Image, error) {
	sm, err := strconv.Atoi(strings.TrimPrefix(cmp.Or(m.CardArchitecture(), oldest), "sm_"))
	if err != nil {
		return nil, source.Internalf("cuda", source.Span{}, "the architecture of a machine: %w", err)
	}
	if nvrtc, err := l.compiler(); err == nil {
		return nvrtc.image(module, sm, o)
	}
	text := &device.Image{Code: []byte(module.Code), IsText: true, Architecture: sm, Memory: inDLPack}
	c, err := l.clang()
	if err != nil || c == nil {
		return text, nil
	}
	ptx, err := c.compile(ctx, sm, o.Strict, module, o.CompileOptions)
	if list := source.ErrorList(nil); errors.As(err, &list) && list[0].Code == source.NotExpressed { // it lacks a function
		return text, nil
	}
	return &device.Image{Code: ptx, Architecture: sm, Memory: inDLPack}, err
}

// image makes PTX for an architecture, or for the next one that the compiler knows: new ones leave out the oldest, and old ones do not know the newest.
func (c *compiler) image(m *target.Module, sm int, o device.ImageOptions) (*device.Image, error) {
	var err error
	for _, base := range near(sm) {
		var program uintptr
		program, _, err = c.built(m, flags(fmt.Sprintf("compute_%d", base), o.Strict), o.CompileOptions)
		if errors.Is(err, errUnknownArchitecture) {
			c.destroy(program)
			continue
		}
		defer c.destroy(program)
		if err != nil {
			return nil, err
		}
		ptx, err := c.output(c.GetPTXSize, c.GetPTX, program)
		return &device.Image{Code: ptx, Architecture: base, Memory: inDLPack}, err
	}
	return nil, err
}

// near lists architectures that have what an architecture has of matrix units, the nearest first.
func near(sm int) (list []int) {
	for _, g := range generations {
		if g.mma != nil || generationOf(sm).mma == nil {
			list = append(list, g.since)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(max(a-sm, sm-a), max(b-sm, sm-b)) })
	return list
}
