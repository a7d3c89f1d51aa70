package compile

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
	"sort"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
)

// What survives on disk
//
// A plan is everything but the code that a call of a kernel needs. It is stored with the key of the program's text and the
// signature, so that a second run of a program neither schedules nor lowers.

// Load gives loaded code and its plan: from the disk, or by compiling.
func (j *Job) Load(ctx context.Context, a *Opened) (device.Code, *plan.Plan, error) {
	key := j.Key(a)
	if code, p, err := a.find(ctx, key); err != nil || code != nil {
		return code, p, err
	}
	anonymous, names := j.withoutNames()
	s, err := anonymous.Run(a.Target)
	if err != nil {
		return nil, nil, err
	}
	p, err := j.plan(s, names, a.Target.Name())
	if err != nil {
		return nil, nil, err
	}
	var code device.Code
	kept := device.Kept{Device: a.Device, Cache: a.Cache, Notice: a.Options.Notice}
	entry, err := kept.Use(ctx, j.Describe(), s.Module, a.CompileOptions(), func(object []byte) (err error) {
		code, err = a.Device.Load(ctx, object, p)
		return err
	})
	if err != nil {
		if unproven := a.Device.Works(ctx); unproven != nil {
			return nil, nil, unproven
		}
		return nil, nil, err
	}
	if entry != nil && !s.Doubtful { // what was said about the schedule is to be said again
		return code, p, j.link(a, key, entry, p)
	}
	return code, p, nil
}

// link keeps the plan beside the object.
func (j *Job) link(a *Opened, key cache.Key, entry *cache.Entry, p *plan.Plan) error {
	meta, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := a.Cache.Link(key, cache.Entry{Kind: "kernel", Name: j.Describe(), Meta: meta}, entry); err != nil {
		a.Options.notice("compiled kernels are not kept: %v", err)
	}
	return nil
}

// find looks for a kernel on disk; there is no code where none can be used.
func (a *Opened) find(ctx context.Context, key cache.Key) (device.Code, *plan.Plan, error) {
	if a.Cache == nil {
		return nil, nil, nil
	}
	entry, found := a.Cache.Get(key)
	if !found {
		return nil, nil, nil
	}
	p := new(plan.Plan)
	if err := json.Unmarshal(entry.Meta, p); err != nil || p.Version != plan.Version {
		return nil, nil, nil
	}
	code, err := a.Device.Load(ctx, entry.Data, p)
	if err != nil && !errors.Is(err, device.ErrUnproven) && ctx.Err() == nil {
		return nil, nil, nil
	}
	return code, p, err
}

// Key is over everything that the steps of a compilation look at.
func (j *Job) Key(a *Opened) cache.Key {
	b := cache.NewKey("kernel").Add(Version(), a.Device.Driver().Name, a.Device.Identity(), machineText(j.Machine), j.Numerics.String(), j.Def.Name, j.scheduleKey())
	for _, file := range j.Def.Files {
		b.Add(file.Name, file.Text)
	}
	for _, s := range j.Func.Sizes {
		b.Add("size", s.Name, fmt.Sprint(j.Keep[s.Name]))
		if !j.Keep[s.Name] {
			b.AddInt(j.Sizes[s.Name])
		}
	}
	b.Add(append([]string{"constant"}, j.Constant...)...)
	for _, tensor := range j.Func.Tensors {
		if strides, ok := j.Strides[tensor.Name]; ok {
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

// Describe names the kernel for `ricci cache`, such as "mm(K=64 M=32 N=16)".
func (j *Job) Describe() string {
	var parts []string
	for name, value := range j.Sizes {
		if j.Keep[name] {
			parts = append(parts, name+"=*")
		} else {
			parts = append(parts, fmt.Sprintf("%s=%d", name, value))
		}
	}
	sort.Strings(parts)
	return j.Def.Name + "(" + strings.Join(parts, " ") + ")"
}

// plan describes what the steps have made, in the names of the program.
func (j *Job) plan(s *Steps, names map[string]string, target string) (*plan.Plan, error) {
	return plan.Make(plan.Kernel{
		Name: j.Def.Name, Func: j.Def.Func, Files: j.Def.Files, Sizes: j.constants(), Strides: j.Strides,
		Loop: s.Loop, Names: names, Target: target, Symbol: s.Module.Symbol, Schedule: s.Kind,
	})
}

// Version changes when Ricci does: kernels of another build of it are not
// used, whatever its version number says.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
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
