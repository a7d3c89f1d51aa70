package call

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
)

// Compile makes a kernel for arguments of the signature.
func (d *Def) Compile(ctx context.Context, signature compile.Signature, options Options) (*Kernel, error) {
	k, err := d.compile(ctx, signature, options, device.Soon)
	if errors.Is(err, device.ErrUnproven) && ctx.Err() == nil {
		return d.compile(ctx, signature, options, device.Proven)
	}
	return k, err
}

func (d *Def) compile(ctx context.Context, signature compile.Signature, options Options, ready device.Readiness) (kernel *Kernel, err error) {
	job, err := compile.New(ctx, d.Def, signature, options.Options)
	if err != nil {
		return nil, err
	}
	defer func() { err = compile.SaveReproducer(err, job) }()
	defer source.RecoverInternal("compile", &err)
	on, err := job.Open(ctx, ready)
	if err != nil {
		return nil, err
	}
	target := compile.Eval
	if on != nil {
		defer func() { err = errors.Join(err, on.Device.Close()) }()
		target = on.Target.Name()
		job.FindTuned(on)
	}
	k, err := newKernel(d, target, job.Sizes, job.Keep, job.Strides)
	if err != nil {
		return nil, err
	}
	if k.options = options; on == nil {
		return k, nil
	}
	code, p, err := job.Load(ctx, on)
	if err != nil {
		return nil, err
	}
	if err := k.attach(code, p, on.Device.Allocator(), options); err != nil {
		return nil, err
	}
	k.native.on = on.Device.Driver().Name
	return k, nil
}

// moveTo says that the code of a kernel works on the memory of a device.
func (n *native) moveTo(k *Kernel, allocator device.Allocator, options Options) {
	n.allocator = allocator
	n.memory = max(0, options.Memory) // how much there is the device says
	for i := range k.arguments {
		k.arguments[i].owned = allocator.Owns
	}
}

// attach makes loaded code the code of the kernel; it closes the code when it cannot.
func (k *Kernel) attach(code device.Code, p *plan.Plan, allocator device.Allocator, options Options) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, code.Close())
		}
	}()
	threads := options.Options.ThreadCount()
	n := &native{code: code, listed: code.TakesArguments(), size: workspaceSize{bytes: p.Workspace.Bytes, own: p.Workspace.Thread * threads}, memory: options.Options.MemoryLimit(), faults: p.Faults}
	if allocator != nil {
		n.moveTo(k, allocator, options)
	}
	if err := n.fits(p.Workspace.Bytes + n.size.own); p.Workspace.Dynamic == "" && err != nil {
		return k.named(err, k.sizes)
	}
	if p.Workspace.Dynamic != "" {
		e, err := affine.Parse(p.Workspace.Dynamic)
		if err != nil {
			return source.Internalf("kernel", k.def.Pos, "the workspace %q: %w", p.Workspace.Dynamic, err)
		}
		n.size.dynamic = &e
	}
	for _, l := range p.Launches {
		for _, w := range l.Words {
			argument := slices.IndexFunc(k.arguments, func(a argument) bool { return a.name == w.Tensor+w.Packed })
			if argument < 0 && w.Size == "" {
				return source.Internalf("kernel", k.def.Pos, "the kernel wants an unknown argument %q", w.Tensor)
			}
			n.packs = n.packs || w.Packed != ""
			n.words = append(n.words, word{argument: argument, size: w.Size, packed: w.Packed != ""})
		}
	}
	for _, s := range p.Notices {
		n.notices = append(n.notices, &notice{pos: s.In(k.def.Files), offset: s.Offset})
	}
	k.native, k.schedule, k.shortened = n, p.Schedule, p.Shortened
	runtime.AddCleanup(k, (*native).unload, n)
	return nil
}
