package build

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
)

// Libraries for a running program
//
// Such a library is for one signature and this machine. Its kernel is that of a call from Go, with tables for package abi's code around it,
// which is a library of its own: the threads in it are for all kernels of the process. The kernel's library names that one by
// its soname, so the loader finds it where the program has loaded it before. Kernels on a card have such a library, too, which opens the driver.
//
// Both lie in the cache. Where there is none they are in a directory of the caller.

// A Loadable is a library that a running program loads.
type Loadable struct {
	Libraries  []string // to be loaded in this order
	Symbol     string   // the function of the last one
	Descriptor json.RawMessage
	Schedule   string
	Kept       bool // it was in the cache
}

// ErrNoCompiler says that nothing here makes libraries.
var ErrNoCompiler = errors.New("there is no C compiler, so that kernels cannot be compiled for other programs")

// symbolName is what the function of a loadable library computes under, whatever its def is called: equal programs
// are equal texts.
const symbolName = "kernel"

// Load makes a library for arguments of a signature. The directory dir takes what the cache does not.
func Load(ctx context.Context, d *compile.Def, signature compile.Signature, text string, options compile.Options, dir string) (_ *Loadable, err error) {
	card, err := cardOf(&options)
	if err != nil {
		return nil, err
	}
	job, err := compile.New(ctx, d, signature, options)
	if err != nil {
		return nil, err
	}
	if err := call.CheckLayouts(d, constants(job), job.Strides); err != nil {
		return nil, err
	}
	defer func() { err = compile.SaveReproducer(err, job) }()
	defer source.RecoverInternal("compile", &err)
	on, err := aroundKernels(card, options).Open(ctx, device.Asked)
	if err != nil {
		return nil, errors.Join(ErrNoCompiler, err)
	}
	defer func() { err = errors.Join(err, on.Device.Close()) }()
	if card == nil {
		job.FindTuned(on)
	} else {
		job.FindTunedAnywhere(ctx)
	}
	m := &maker{on: on, card: card, dir: dir}
	shared, err := m.shared(ctx)
	if err != nil {
		return nil, errors.Join(ErrNoCompiler, err)
	}
	return m.kernel(ctx, job, text, shared)
}

// constants are the sizes that are compiled in.
func constants(job *compile.Job) map[string]int64 {
	sizes := map[string]int64{}
	for name, value := range job.Sizes {
		if !job.Keep[name] {
			sizes[name] = value
		}
	}
	return sizes
}

// A maker compiles, and keeps what it made.
type maker struct {
	on   *compile.Opened
	card *device.Driver // that kernels run on; nil: the processor
	dir  string
}

// common is the text that all kernels share.
func (m *maker) common() string { return common(m.card, true) }

// shared is the path of the library that all kernels have in common.
func (m *maker) shared(ctx context.Context) (string, error) {
	text := m.common()
	key := cache.NewKey("shared").Add(text, m.on.Device.Identity()).Key()
	if entry, found := m.get(key); found {
		return entry.Path, nil
	}
	object, err := m.compile(ctx, text, ofThreads(abi.Soname(text))...)
	if err != nil {
		return "", err
	}
	return m.put(key, cache.Entry{Kind: "library", Name: "threads of kernels for other programs"}, object)
}

// kernel is the library of a job.
func (m *maker) kernel(ctx context.Context, job *compile.Job, signature, shared string) (*Loadable, error) {
	key := cache.NewKey("tensors").Add(job.Key(m.on).String(), signature, abi.Soname(m.common())).Key()
	made := &Loadable{Symbol: "ricci_call_" + symbolName}
	var kept struct {
		Schedule   string
		Descriptor json.RawMessage
		Workspace  plan.Workspace
	}
	if entry, found := m.get(key); found && json.Unmarshal(entry.Meta, &kept) == nil {
		made.Libraries, made.Descriptor, made.Schedule, made.Kept = []string{shared, entry.Path}, kept.Descriptor, kept.Schedule, true
		return made, m.checkMemory(job, &kept.Workspace)
	}
	l := &library{def: job.Def, signature: signature, name: symbolName, file: symbolName, fixed: constants(job), threads: job.Options.ThreadCount(), card: m.card}
	if err := l.print(ctx, job, []machine.InstructionLevel{job.Machine.InstructionLevel()}, true, true); err != nil {
		return nil, err
	}
	if err := m.checkMemory(job, &l.descriptor.Workspace); err != nil {
		return nil, err
	}
	object, err := m.compile(ctx, l.text, append([]string{"-DRICCI_WRAPV"}, using(shared)...)...)
	if err != nil {
		return nil, err
	}
	kept.Workspace, kept.Schedule, kept.Descriptor = l.descriptor.Workspace, l.descriptor.Schedule, json.RawMessage(l.function.Tensors.Descriptor)
	meta, err := json.Marshal(kept)
	if err != nil {
		return nil, source.Internalf("build", job.Def.Pos, "%w", err)
	}
	var path string
	if l.function.Card != nil && l.function.Card.IsText { // until something here compiles it
		path, err = m.aside(key, object)
	} else {
		path, err = m.put(key, cache.Entry{Kind: "library", Name: job.Describe(), Meta: meta}, object)
	}
	made.Libraries, made.Descriptor, made.Schedule = []string{shared, path}, kept.Descriptor, kept.Schedule
	return made, err
}

// checkMemory compares temporaries with the memory of the processor, where they are there.
func (m *maker) checkMemory(job *compile.Job, w *plan.Workspace) error {
	if m.card != nil {
		return nil
	}
	return call.CheckMemory(job.Def, w, job.Sizes, job.Options)
}

func (m *maker) compile(ctx context.Context, text string, flags ...string) ([]byte, error) {
	return m.on.Device.(*host.Device).CompileFor(ctx, text, false, m.on.CompileOptions(), flags...)
}

func (m *maker) get(key cache.Key) (*cache.Entry, bool) {
	if m.on.Cache == nil {
		path := m.path(key)
		_, err := os.Stat(path)
		return &cache.Entry{Path: path}, err == nil
	}
	return m.on.Cache.Get(key)
}

// path is where an object lies that is in no cache.
func (m *maker) path(key cache.Key) string { return filepath.Join(m.dir, key.String()+".so") }

// put keeps an object in the cache, or else in the directory.
func (m *maker) put(key cache.Key, e cache.Entry, object []byte) (string, error) {
	if m.on.Cache != nil {
		if entry, err := m.on.Cache.Put(key, e, object); err == nil {
			return entry.Path, nil
		}
	}
	return m.aside(key, object)
}

// aside keeps an object in the directory.
func (m *maker) aside(key cache.Key, object []byte) (string, error) {
	path := m.path(key)
	return path, scratch.Write(path, object)
}
