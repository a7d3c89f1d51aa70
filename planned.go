package ricci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
)

// What survives on disk
//
// A plan is everything but the code that a call of a kernel needs. It is stored with the key of the program's text and the
// signature, so that a second run of a program neither schedules nor lowers.

// load gives the kernel its code: from the disk, or by compiling.
func (k *Kernel) load(ctx context.Context, j *compilation, a *opened) error {
	key := j.key(a)
	if code, p, err := a.find(ctx, key); err != nil {
		return err
	} else if code != nil {
		return k.attach(code, p, a)
	}
	anonymous, names := j.withoutNames()
	s, err := anonymous.run(a.target)
	if err != nil {
		return err
	}
	p, err := j.plan(s, names, a.target.Name())
	if err != nil {
		return err
	}
	var code device.Code
	kept := device.Kept{Device: a.device, Cache: a.cache, Notice: a.options.Notice}
	entry, err := kept.Use(ctx, j.describe(), s.module, a.compileOptions(), func(object []byte) (err error) {
		code, err = a.device.Load(ctx, object, p)
		return err
	})
	if err != nil {
		if unproven := a.device.Works(ctx); unproven != nil {
			return unproven
		}
		return err
	}
	if entry != nil && !s.doubtful { // what was said about the schedule is to be said again
		meta, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if _, err := a.cache.Link(key, cache.Entry{Kind: "kernel", Name: j.describe(), Meta: meta}, entry); err != nil {
			a.options.notice("compiled kernels are not kept: %v", err)
		}
	}
	return k.attach(code, p, a)
}

// find looks for a kernel on disk; there is no code where none can be used.
func (a *opened) find(ctx context.Context, key cache.Key) (device.Code, *plan.Plan, error) {
	if a.cache == nil {
		return nil, nil, nil
	}
	entry, found := a.cache.Get(key)
	if !found {
		return nil, nil, nil
	}
	p := new(plan.Plan)
	if err := json.Unmarshal(entry.Meta, p); err != nil || p.Version != plan.Version {
		return nil, nil, nil
	}
	code, err := a.device.Load(ctx, entry.Data, p)
	if err != nil && !errors.Is(err, device.ErrUnproven) && ctx.Err() == nil {
		return nil, nil, nil
	}
	return code, p, err
}

// key is over everything that the steps of a compilation look at.
func (j *compilation) key(a *opened) cache.Key {
	b := cache.NewKey("kernel").Add(codegenVersion(), a.device.Driver().Name, a.device.Identity(), machineText(j.machine), j.numerics.String(), j.def.Name(), j.scheduleKey())
	for _, file := range j.def.program.unit.Files {
		b.Add(file.Name, file.Text)
	}
	for _, s := range j.f.Sizes {
		b.Add("size", s.Name, fmt.Sprint(j.keep[s.Name]))
		if !j.keep[s.Name] {
			b.AddInt(j.sizes[s.Name])
		}
	}
	b.Add(append([]string{"constant"}, j.constant...)...)
	for _, tensor := range j.f.Tensors {
		if strides, ok := j.strides[tensor.Name]; ok {
			b.Add("strides", tensor.Name, fmt.Sprint(strides))
		}
	}
	return b.Key()
}

// machineText tells machines apart for which schedules may differ.
func machineText(m *machine.Processor) string {
	plain := *m
	if plain.Peaks = nil; m.Peaks == nil {
		return fmt.Sprintf("%+v", plain)
	}
	return fmt.Sprintf("%+v %+v", plain, *m.Peaks)
}

// describe names the kernel for `ricci cache`, such as "mm(K=64 M=32 N=16)".
func (j *compilation) describe() string {
	var parts []string
	for name, value := range j.sizes {
		if j.keep[name] {
			parts = append(parts, name+"=*")
		} else {
			parts = append(parts, fmt.Sprintf("%s=%d", name, value))
		}
	}
	sort.Strings(parts)
	return j.def.Name() + "(" + strings.Join(parts, " ") + ")"
}

// plan describes what the steps have made, in the names of the program.
func (j *compilation) plan(s *stages, names map[string]string, target string) (*plan.Plan, error) {
	return plan.Make(plan.Kernel{
		Name: j.def.Name(), Func: j.def.info.Func, Files: j.def.sources(), Sizes: j.constants(), Strides: j.strides,
		Loop: s.loop, Names: names, Target: target, Symbol: s.module.Symbol, Schedule: string(s.kind),
	})
}

// attach makes loaded code the code of the kernel; it closes the code when it cannot.
func (k *Kernel) attach(code device.Code, p *plan.Plan, a *opened) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, code.Close())
		}
	}()
	threads := a.options.threads()
	n := &native{code: code, size: workspaceSize{bytes: p.Workspace.Bytes, own: p.Workspace.Thread * threads}, memory: a.options.memoryLimit(), faults: p.Faults}
	if err := n.fits(p.Workspace.Bytes + n.size.own); p.Workspace.Dynamic == "" && err != nil {
		return k.named(err, k.sizes)
	}
	if p.Workspace.Dynamic != "" {
		e, err := affine.Parse(p.Workspace.Dynamic)
		if err != nil {
			return source.Internalf("kernel", k.def.info.Pos, "the workspace %q: %w", p.Workspace.Dynamic, err)
		}
		n.size.dynamic = &e
	}
	for _, l := range p.Launches {
		for _, w := range l.Words {
			argument := slices.IndexFunc(k.arguments, func(a argument) bool { return a.name == w.Tensor+w.Packed })
			if argument < 0 && w.Size == "" {
				return source.Internalf("kernel", k.def.info.Pos, "the kernel wants an unknown argument %q", w.Tensor)
			}
			n.packs = n.packs || w.Packed != ""
			n.words = append(n.words, word{argument: argument, size: w.Size, packed: w.Packed != ""})
		}
	}
	for _, s := range p.Notices {
		n.notices = append(n.notices, &notice{pos: s.In(k.def.sources()), offset: s.Offset})
	}
	k.native, k.schedule = n, ScheduleKind(p.Schedule)
	runtime.AddCleanup(k, (*native).unload, n)
	return nil
}

// codegenVersion changes when Ricci does: kernels of another build of it are not
// used, whatever its version number says.
var codegenVersion = sync.OnceValue(func() string {
	parts := []string{runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		parts = append(parts, info.String())
	}
	if path, err := os.Executable(); err == nil {
		if stat, err := os.Stat(path); err == nil {
			parts = append(parts, fmt.Sprint(stat.Size(), stat.ModTime().UnixNano()))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
})
