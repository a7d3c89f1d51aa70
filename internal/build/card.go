package build

import (
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// Libraries for a card
//
// A library for a card has functions on tensors, as any other: the tables are the same, and the code is C that launches kernels (package
// target/c). The kernels are in it as the image that the card's row makes of them (device.Driver.Image). Nothing needs a card until one of its functions is called,
// so what is built for a machine that is described (--machine) is built anywhere.

// onProcessor is DLPack's number of the processor.
const onProcessor = 1

// Devices lists the names of devices that libraries are for.
func Devices() []string {
	names := []string{host.Driver().Name}
	for _, d := range devices.All() {
		if d.Image != nil {
			names = append(names, d.Name)
		}
	}
	return names
}

// cardOf fills in what code is made for: a card, or, where there is none, the processor.
func cardOf(o *compile.Options) (card *device.Driver, err error) {
	if o.Device == "" || o.Device == host.Driver().Name {
		o.Target, o.Device = c.Target{}.Name(), host.Driver().Name
		return nil, nil
	}
	d, found := devices.Named(o.Device)
	if !found || d.Image == nil {
		e := &source.Diagnostic{Code: source.NoSuchDevice, Message: fmt.Sprintf("libraries for other programs are for the devices %s, and not for %q", strings.Join(Devices(), ", "), o.Device)}
		return nil, source.ErrorList{e.WithHelp("leave out the device, or name one of these")}
	}
	o.Target, o.Shown = d.Target, true
	return d, nil
}

// aroundKernels are the options of the code around kernels for a card, which is the processor's; without a card they are the same.
func aroundKernels(card *device.Driver, o compile.Options) compile.Options {
	if card != nil {
		o.Machine, o.Level, o.Shown = "", "", false
	}
	o.Target, o.Device = c.Target{}.Name(), host.Driver().Name
	return o
}

// common is the text that functions share, visible or not.
func common(card *device.Driver, visible bool) string {
	text := abi.Shared(host.PoolSource, visible)
	if card != nil {
		text += abi.OnCard()
	}
	return text
}

// cardKernel makes the kernels of a function on a card, and returns where its schedule is from.
func (l *library) cardKernel(ctx context.Context, job *compile.Job) (schedule string, err error) {
	t, found := targets.Named(l.card.Target)
	if !found {
		return "", source.Internalf("build", l.def.Pos, "the target %s is not in the table", l.card.Target)
	}
	s, err := job.Run(t)
	if err != nil {
		return "", err
	}
	options := device.ImageOptions{Strict: job.Numerics == numerics.Strict}
	options.Timeout, options.ReproducerDir = job.Options.CompileTimeout, compile.ReproducerDir(job.Options)
	image, err := l.card.Image(ctx, s.Module, job.Machine, options)
	if err != nil {
		return "", err
	}
	if image.IsText && job.Options.Notice != nil {
		job.Options.Notice(fmt.Sprintf("the library has the text of %s, which is compiled where it is called: 'ricci devices' says what compiles it here", l.def.Name))
	}
	l.memory = image.Memory
	l.function.Card = &c.CardKernel{Kernel: s.Loop, Symbol: s.Module.Symbol, Code: image.Code, IsText: image.IsText, Architecture: image.Architecture, Strict: options.Strict}
	return s.Kind, nil
}

// checkEmit refuses what libraries for a card are not emitted as.
func (l *library) checkEmit(emit string) error {
	if l.card == nil || emit == SO {
		return nil
	}
	return fmt.Errorf("for the device %s libraries are emitted as %q, and not as %q", l.card.Name, SO, emit)
}
