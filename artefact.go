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
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// An artefact is everything but the code that a call of a kernel needs. It is
// stored with the key of the program's text and the signature, so that a second
// run of a program neither schedules nor lowers.
type artefact struct {
	Symbol    string           `json:"symbol"`
	Words     []artefactWord   `json:"words"`
	Workspace int64            `json:"workspace,omitempty"`
	Dynamic   string           `json:"dynamic_workspace,omitempty"` // a size expression
	Own       int64            `json:"own_workspace,omitempty"`     // of each thread, besides
	Sites     []artefactSite   `json:"sites,omitempty"`
	Notices   []artefactNotice `json:"notices,omitempty"`
	Schedule  ScheduleKind     `json:"schedule"`
}

// An artefactWord is a word of the argument block: one of the names is set. Packed is a
// constant input of which the word says whether its packed form is in the workspace.
type artefactWord struct {
	Tensor string `json:"tensor,omitempty"`
	Size   string `json:"size,omitempty"`
	Packed string `json:"packed,omitempty"`
}

// An artefactSpan is a place in the files of the program, which are counted.
type artefactSpan struct {
	File  int `json:"file"` // -1 for no place
	Start int `json:"start"`
	End   int `json:"end"`
}

func (d *Def) artefactSpan(s source.Span) artefactSpan {
	return artefactSpan{File: slices.Index(d.program.unit.Files, s.File), Start: s.Start, End: s.End}
}

// spanOf is the inverse of artefactSpan.
func (d *Def) spanOf(s artefactSpan) source.Span {
	if files := d.program.unit.Files; s.File >= 0 && s.File < len(files) {
		return source.Span{File: files[s.File], Start: s.Start, End: s.End}
	}
	return source.Span{}
}

// An artefactNotice is a loop.Notice; the offset is in bytes of the workspace.
type artefactNotice struct {
	artefactSpan
	Offset int64 `json:"offset"`
}

// An artefactSite is a loop.Site.
type artefactSite struct {
	artefactSpan
	Tensor string `json:"tensor"`
	Dim    int    `json:"dim"`
	Lo     int64  `json:"lo"`
	Hi     int64  `json:"hi"`
}

// load gives the kernel its code: from the disk, or by compiling.
func (k *Kernel) load(ctx context.Context, j *compilation, t *toolchain) error {
	key := j.key(t)
	if library, a, found := t.find(key); found {
		if err := t.wait(ctx); err != nil {
			return errors.Join(err, library.Close())
		}
		return k.attach(library, a, t)
	}
	anonymous, names := j.withoutNames()
	s, err := anonymous.run()
	if err != nil {
		return err
	}
	a, err := newArtefact(j, s, names)
	if err != nil {
		return err
	}
	library, entry, err := t.library(ctx, j.describe(), s.c)
	if unproven := t.wait(ctx); unproven != nil {
		if library != nil {
			unproven = errors.Join(unproven, library.Close())
		}
		return unproven
	}
	if err != nil {
		return err
	}
	if entry != nil && !s.doubtful { // what was said about the schedule is to be said again
		meta, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := t.cache.Link(key, cache.Entry{Kind: "kernel", Name: j.describe(), Meta: meta}, entry); err != nil {
			t.options.notice("compiled kernels are not kept: %v", err)
		}
	}
	return k.attach(library, a, t)
}

// find looks for a kernel on disk.
func (t *toolchain) find(key cache.Key) (*host.Library, *artefact, bool) {
	if t.cache == nil {
		return nil, nil, false
	}
	entry, found := t.cache.Get(key)
	if !found {
		return nil, nil, false
	}
	a := new(artefact)
	if err := json.Unmarshal(entry.Meta, a); err != nil {
		return nil, nil, false
	}
	library, err := host.OpenBytes(entry.Data)
	return library, a, err == nil
}

// key is over everything that the steps of a compilation look at.
func (j *compilation) key(t *toolchain) cache.Key {
	b := cache.NewKey("kernel").Add(codegenVersion(), t.compiler.Identity(), strings.Join(t.compiler.Flags(), " "),
		host.Features(), machineText(j.machine), j.numerics.String(), j.def.Name(), j.scheduleKey())
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

// newArtefact describes a lowered kernel in the names of the program.
func newArtefact(j *compilation, s *stages, names map[string]string) (*artefact, error) {
	f := s.loop
	a := &artefact{Symbol: s.symbol, Workspace: f.Workspace, Own: f.Own, Schedule: s.kind}
	env := map[string]affine.Expr{}
	for canonical, name := range names {
		env[canonical] = affine.Symbol(name)
	}
	if f.DynamicWorkspace != nil {
		a.Dynamic = f.DynamicWorkspace.Subst(env).String()
	}
	for _, p := range f.Params {
		size, isSize := strings.CutPrefix(p.Origin, "size ")
		packed, isPacked := strings.CutPrefix(p.Origin, lower.PackedOrigin)
		switch {
		case p.Buffer != nil:
			a.Words = append(a.Words, artefactWord{Tensor: names[p.Buffer.Name]})
		case isSize:
			a.Words = append(a.Words, artefactWord{Size: names[size]})
		case isPacked:
			a.Words = append(a.Words, artefactWord{Packed: names[packed]})
		default:
			return nil, source.Internalf("kernel", j.f.Pos, "the parameter %s of the kernel is of an unknown kind", p.Origin)
		}
	}
	for _, s := range f.Sites {
		site := artefactSite{artefactSpan: j.def.artefactSpan(s.Pos), Tensor: names[s.Tensor], Dim: s.Dim, Lo: s.Lo, Hi: s.Hi}
		a.Sites = append(a.Sites, site)
	}
	for _, n := range f.Notices {
		a.Notices = append(a.Notices, artefactNotice{j.def.artefactSpan(n.Pos), n.Buffer.Offset})
	}
	return a, nil
}

// attach makes the loaded library the code of the kernel; it closes the library
// when it cannot.
func (k *Kernel) attach(library *host.Library, a *artefact, t *toolchain) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, library.Close())
		}
	}()
	function, err := library.Function(a.Symbol)
	if err != nil {
		return err
	}
	n := &native{
		library: library, function: function, parallel: t.parallel, threads: t.options.threads(),
		size: workspaceSize{bytes: a.Workspace, own: a.Own * t.options.threads()}, memory: t.options.memoryLimit(),
	}
	if err := n.fits(a.Workspace + n.size.own); a.Dynamic == "" && err != nil {
		return k.named(err, k.sizes)
	}
	if a.Dynamic != "" {
		e, err := affine.Parse(a.Dynamic)
		if err != nil {
			return source.Internalf("kernel", k.def.info.Pos, "the workspace %q: %w", a.Dynamic, err)
		}
		n.size.dynamic = &e
	}
	for _, w := range a.Words {
		argument := slices.IndexFunc(k.arguments, func(a argument) bool { return a.name == w.Tensor+w.Packed })
		if argument < 0 && w.Size == "" {
			return source.Internalf("kernel", k.def.info.Pos, "the kernel wants an unknown argument %q", w.Tensor)
		}
		n.packs = n.packs || w.Packed != ""
		n.words = append(n.words, word{argument: argument, size: w.Size, packed: w.Packed != ""})
	}
	for _, s := range a.Sites {
		n.sites = append(n.sites, site{pos: k.def.spanOf(s.artefactSpan), tensor: s.Tensor, dim: s.Dim, lo: s.Lo, hi: s.Hi})
	}
	for _, s := range a.Notices {
		n.notices = append(n.notices, &notice{pos: k.def.spanOf(s.artefactSpan), offset: s.Offset})
	}
	k.native, k.schedule = n, a.Schedule
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
