package native

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/target"
)

// compile makes the kernel, or finds it in the cache.
func (w *World) compile(ctx context.Context, o Options) error {
	if err := w.lower(o); err != nil {
		return err
	}
	f := w.kernel.Loop
	if err := target.Check(o.Target, f); err != nil {
		return err
	}
	module, err := o.Target.Print(f, target.Options{Machine: o.Machine, Numerics: o.Numerics})
	if err != nil {
		return err
	}
	p := w.plan(o.Target.Name(), module.Symbol)
	kept := device.Kept{Device: o.Device, Cache: o.Cache, Notice: o.Notice}
	_, err = kept.Use(ctx, w.describe(), module, o.Compile, func(object []byte) (err error) {
		w.code, err = o.Device.Load(ctx, object, p)
		return err
	})
	if err != nil {
		if unproven := o.Device.Works(ctx); unproven != nil {
			return unproven
		}
	}
	return err
}

// lower makes the loop program.
func (w *World) lower(o Options) (err error) {
	if w.order, err = orderOn(o.Machine, o.Target, w.program, o.Order); err != nil {
		return err
	}
	w.items = runsItems(o.Machine, o.Target)
	w.kernel, err = lower.Lower(w.program, lower.Options{Images: w.sizes(), Sequences: w.lengths(), Exact: o.Numerics == numerics.Strict,
		Items: w.items, Order: w.order})
	return err
}

// lengths are those of sequences of the world whose types leave them open.
func (w *World) lengths() map[string]int {
	lengths := map[string]int{}
	for _, v := range w.program.Variables {
		if v.Type.Dynamic {
			lengths[v.Name] = len(w.outline.Sequence(v))
		}
	}
	return lengths
}

// plan describes the kernel to devices.
func (w *World) plan(targetName, symbol string) *plan.Plan {
	p := &plan.Plan{Version: plan.Version, Name: w.program.Name, Target: targetName, Schedule: plan.DefaultSchedule, Sizes: []plan.Size{}}
	var words []plan.Word
	for _, a := range w.kernel.Arguments {
		if a.IsNumber() {
			p.Sizes = append(p.Sizes, plan.Size{Name: a.Name})
			words = append(words, plan.Word{Size: a.Name})
			continue
		}
		role := "inout"
		if a.Kind < lower.Component {
			role = "in"
		}
		p.Arguments = append(p.Arguments, plan.Argument{Name: a.Name, Type: a.Type.String(), Role: role, Shape: []string{}})
		words = append(words, plan.Word{Tensor: a.Name})
	}
	p.AddLaunches(w.kernel.Loop, symbol, words)
	return p
}

// describe names the kernel for `ricci cache`.
func (w *World) describe() string {
	var parts []string
	for name, sizes := range w.sizes() {
		parts = append(parts, fmt.Sprintf("%s=%s", name, strings.Trim(fmt.Sprint(sizes), "[]")))
	}
	sort.Strings(parts)
	return w.program.Name + "(" + strings.Join(parts, " ") + ")"
}
