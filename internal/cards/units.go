package cards

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/testrun"
)

// Units lists all work, in its order: what tells most comes first.
func Units() []Unit {
	list := []Unit{
		{Name: "device", Limit: time.Minute, run: report},
		{Name: "memory", Limit: time.Minute, run: memory},
		{Name: "functions", Limit: 2 * time.Minute, run: functions},
	}
	const parts = 4
	for n := range parts {
		for _, k := range kinds {
			list = append(list, Unit{Name: fmt.Sprintf("%s/%d", k.name, n), Limit: time.Minute, run: func(ctx context.Context, p *place) (Result, error) { return drawn(ctx, p, k, n) }})
		}
	}
	for _, r := range rows {
		list = append(list, Unit{Name: "space/" + r.name, Limit: time.Minute, run: r.space})
	}
	_ = examples.Each(func(file, text string) error { // the embedded ones can be read
		if strings.HasPrefix(file, "tc/") || strings.HasPrefix(file, "mdh/") {
			list = append(list, Unit{Name: "examples/" + path.Base(file), Limit: time.Minute, run: func(ctx context.Context, p *place) (Result, error) { return example(ctx, p, file, text) }})
		}
		return nil
	})
	for _, r := range rows {
		list = append(list, Unit{Name: "row/" + r.name, Limit: time.Minute, Row: true, run: r.bench})
	}
	return list
}

// open opens the device.
func (p *place) open(ctx context.Context, strict bool) (device.Device, error) {
	driver, known := devices.Named(p.device)
	if !known {
		return nil, fmt.Errorf("there is no device %q", p.device)
	}
	return driver.Open(ctx, device.Settings{Strict: strict, Threads: 1})
}

// options are those of compilations.
func (p *place) options() ricci.Options {
	return ricci.Options{Device: p.device, CacheDir: p.cache}
}

// report says what the device is.
func report(ctx context.Context, p *place) (r Result, err error) {
	d, err := p.open(ctx, false)
	if err != nil {
		return r, err
	}
	text, err := compile.DeviceMachine(ctx, compile.Options{Device: p.device})
	r.Facts = append([]string{d.Maker()}, strings.Split(strings.TrimSpace(text), "\n")...)
	for _, part := range d.Driver().Inspect(ctx, device.Settings{}).Parts {
		r.Facts = append(r.Facts, strings.TrimSpace(strings.Join([]string{part.Kind, part.Name, part.Version, part.Path, part.Use}, " ")))
	}
	return r, err
}

// example runs the test blocks of a file, with all examples around it, which it may import.
func example(ctx context.Context, p *place, file, text string) (r Result, err error) {
	driver, known := devices.Named(p.device)
	if !known {
		return r, fmt.Errorf("there is no device %q", p.device)
	}
	dir := filepath.Join(p.cache, "examples")
	err = examples.Each(func(other, text string) error {
		to := filepath.Join(dir, filepath.FromSlash(other))
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte(text), 0o600))
	})
	if err != nil {
		return r, err
	}
	o := testrun.Options{Device: p.device, Targets: []ricci.Target{ricci.Target(driver.Target)}}
	var failed []string
	err = testrun.File(ctx, source.NewFile(filepath.Join(dir, filepath.FromSlash(file)), text), o, func(one testrun.Result) {
		if one.Refused != nil {
			r.Refused++
			return
		}
		if r.Compared++; one.Err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", one.Name, one.Err))
		}
	})
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("%d of %d tests: %s", len(failed), r.Compared, strings.Join(failed, "; "))
	}
	return r, err
}
