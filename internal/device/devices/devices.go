// Package devices is the table of all devices. Nothing else knows one by name.
package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/evaluator"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/machine"
)

// All lists the devices, those that are chosen unasked first, the best first.
func All() []*device.Driver {
	processor := host.Driver()
	processor.Measure = func(ctx context.Context, m *machine.Processor, o device.MeasureOptions) (*machine.Peaks, error) {
		return measure.Host(ctx, m, measure.Options{Progress: o.Progress})
	}
	return []*device.Driver{processor, evaluator.Driver()}
}

// Named finds a device; ok is false where there is none of that name.
func Named(name string) (d *device.Driver, ok bool) {
	list := All()
	at := slices.IndexFunc(list, func(d *device.Driver) bool { return d.Name == name })
	if at < 0 {
		return nil, false
	}
	return list[at], true
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
