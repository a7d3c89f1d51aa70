package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// Opened is a device with its target, and a place for what is compiled.
type Opened struct {
	Device  device.Device
	Target  target.Target
	Cache   *cache.Cache // nil: nothing is kept
	Options Options
}

// Inspect reports on all devices, those first that are taken unasked.
func Inspect(ctx context.Context, o Options) []device.Report {
	c := o.openCache()
	var list []device.Report
	for _, d := range devices.All() {
		list = append(list, d.Inspect(ctx, device.Settings{Cache: c}))
	}
	return list
}

// AutoTarget is the target that Auto stands for here: that of the best device that can be used, or Eval.
func AutoTarget(ctx context.Context, o Options) string {
	o.Target, o.Device, o.Notice = Auto, "", nil
	if a, err := o.Open(ctx, device.Asked); err == nil && a != nil {
		return a.Target.Name()
	}
	return Eval
}

// choice finds the devices that the options ask for, the best first; none where the reference evaluator is to run.
func (o Options) choice() ([]*device.Driver, error) {
	named := o.Target != "" && o.Target != Auto
	if d, found := devices.Named(o.Device); o.Beside != nil && (!found || o.Beside.Driver().Name != d.Name) {
		return nil, refuse(source.NoSuchDevice, fmt.Sprintf("the device %s was opened, and %s is to run the kernel", o.Beside.Driver().Name, quoted(o.Device)), "leave out Options.Device, or Options.On")
	}
	if o.Device != "" {
		d, found := devices.Named(o.Device)
		if !found {
			return nil, refuse(source.NoSuchDevice, "there is no device "+quoted(o.Device), "the devices are %s; 'ricci devices' says what each lacks", strings.Join(devices.Names(), ", "))
		}
		if named && o.Target != d.Target {
			return nil, refuse(source.NoSuchDevice, fmt.Sprintf("the device %s takes no code of the target %s", d.Name, o.Target), "leave out one of the two; the target of the device is %s", d.Target)
		}
		return []*device.Driver{d}, nil
	}
	if o.Target == Eval {
		return nil, nil
	}
	var list []*device.Driver
	for _, d := range devices.All() {
		if named && d.Target == o.Target || !named && d.Chosen {
			list = append(list, d)
		}
	}
	if list == nil {
		return nil, refuse(source.NoSuchTarget, "there is no target "+quoted(o.Target), "the targets are %s", listed(TargetNames()))
	}
	return list, nil
}

// Open opens what the options ask for; nil means that the reference evaluator runs the kernel.
func (o Options) Open(ctx context.Context, ready device.Readiness) (*Opened, error) {
	drivers, err := o.choice()
	if err != nil || drivers == nil {
		return nil, err
	}
	var failures []error
	for _, d := range drivers {
		opened, err := o.openOne(ctx, d, ready)
		if err == nil || ctx.Err() != nil {
			return opened, err
		}
		failures = append(failures, err)
	}
	err = errors.Join(failures...)
	switch {
	case errors.Is(err, device.ErrLost): // it was there
		return nil, err
	case o.Device != "":
		return nil, o.unavailable(err)
	case o.Target != "" && o.Target != Auto:
		return nil, refuse(source.NoSuchTarget, fmt.Sprintf("the target %s is not available: %v", o.Target, err), "'ricci devices' says what is missing; or use the target auto or eval")
	}
	o.notice("running on the reference evaluator, which is slow: %v", err)
	return nil, nil
}

// unavailable refuses the device of the options.
func (o Options) unavailable(err error) error {
	return refuse(source.NoSuchDevice, fmt.Sprintf("the device %s is not available: %v", o.Device, err), "'ricci devices' says what is missing; leave out --device to run on what is there")
}

// openOne opens a device for the numerics and the level of the options.
func (o Options) openOne(ctx context.Context, d *device.Driver, ready device.Readiness) (*Opened, error) {
	a, settings, err := o.settings(d, ready)
	if err != nil {
		return nil, err
	}
	a.Device, err = d.Open(ctx, settings)
	return a, err
}

// settings are those of the options, and what is to be opened by them.
func (o Options) settings(d *device.Driver, ready device.Readiness) (*Opened, device.Settings, error) {
	t, found := targets.Named(d.Target)
	if !found {
		return nil, device.Settings{}, source.Internalf("device", source.Span{}, "the device %s has the target %s, which is not in the table", d.Name, d.Target)
	}
	mode, err := o.numerics()
	if err != nil {
		return nil, device.Settings{}, err
	}
	a := &Opened{Target: t, Cache: o.openCache(), Options: o}
	return a, device.Settings{
		Flags: t.Flags(o.levelOfCode(machine.Host())), Strict: mode == numerics.Strict, Threads: int(o.ThreadCount()), Ready: ready,
		Cache: a.Cache, Compile: a.CompileOptions(), Notice: o.Notice, Beside: o.Beside,
	}, nil
}

// ShownTarget finds the target of the options, for code that is shown and not run.
func (o Options) ShownTarget() (target.Target, error) {
	name := o.Target
	if o.Device != "" || o.Target == "" || o.Target == Auto {
		drivers, err := o.choice()
		if err != nil {
			return nil, err
		}
		name = drivers[0].Target
	}
	t, found := targets.Named(name)
	if !found {
		return nil, refuse(source.NoSuchTarget, "there is no code of a target "+quoted(name), "the targets are %s", listed(TargetNames()))
	}
	return t, nil
}

// openCache opens the cache, unless the options do without.
func (o Options) openCache() *cache.Cache {
	if o.NoCache {
		return nil
	}
	c, err := cache.Open(o.CacheDir, o.Notice)
	if err != nil {
		o.notice("compiled kernels are not kept: %v", err)
		return nil
	}
	return c
}

// CompileOptions has the user's time and directories.
func (a *Opened) CompileOptions() device.CompileOptions {
	o := device.CompileOptions{Timeout: a.Options.CompileTimeout, ReproducerDir: ReproducerDir(a.Options), Notice: a.Options.Notice}
	if a.Cache != nil {
		// Where the cache cannot be written, the system's directory must do.
		if dir, err := a.Cache.TempDir(); err == nil && isWritable(dir) {
			o.TempDir = dir
		}
	}
	return o
}

// ReproducerDir is where programs that Ricci or a compiler failed on are saved.
func ReproducerDir(options Options) string {
	if options.NoCache {
		return ""
	}
	c, err := cache.Open(options.CacheDir, nil)
	if err != nil {
		return ""
	}
	dir, err := c.ReproducerDir()
	if err != nil || !isWritable(dir) {
		return ""
	}
	return dir
}

func isWritable(dir string) bool {
	file, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return false
	}
	return errors.Join(file.Close(), os.Remove(file.Name())) == nil
}
