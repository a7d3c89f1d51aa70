// Package devices is the table of all devices. Nothing else knows one by name.
package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/cuda"
	"github.com/ricci-lang/ricci/internal/device/evaluator"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/device/opencl"
	"github.com/ricci-lang/ricci/internal/machine"
)

// All lists the devices, those that are chosen unasked first, the best first.
func All() []*device.Driver {
	processor := host.Driver()
	processor.Measure = func(ctx context.Context, m *machine.Processor, o device.MeasureOptions) (*machine.Peaks, error) {
		return measure.Host(ctx, m, measure.Options{Progress: o.Progress})
	}
	return []*device.Driver{processor, evaluator.Driver(), opencl.Driver(), cuda.Driver()}
}

// Named finds a device; ok is false where there is none of that name. Of devices that are numbered the name alone is the first.
func Named(name string) (d *device.Driver, ok bool) {
	list := All()
	row, number, isUnit := strings.Cut(name, ":")
	at := slices.IndexFunc(list, func(d *device.Driver) bool { return d.Name == row })
	if at < 0 || isUnit && list[at].Unit == nil {
		return nil, false
	}
	if d = list[at]; d.Unit == nil {
		return d, true
	}
	n := uint64(0)
	if isUnit {
		var err error
		if n, err = strconv.ParseUint(number, 10, 16); err != nil || number != strconv.FormatUint(n, 10) {
			return nil, false
		}
	}
	return d.Unit(int(n)), true
}

// Best opens the best device of those that are chosen unasked; the error says what they lack.
func Best(ctx context.Context, s device.Settings) (device.Device, error) {
	var failures []error
	for _, d := range All() {
		if !d.Chosen {
			continue
		}
		opened, err := d.Open(ctx, s)
		if err == nil {
			return opened, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", d.Name, err))
	}
	return nil, errors.Join(failures...)
}

// Names lists the names.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}
