package ricci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/units"
)

// temporariesShown is how many temporaries are named, the largest first.
const temporariesShown = 4

// memoryText says in a comment how much memory the temporaries of a kernel take, and where that is more than a call may;
// nothing where there are none.
func memoryText(f *loop.Func, options Options) string {
	if f == nil || f.Workspace == 0 && f.DynamicWorkspace == nil && f.Own == 0 {
		return ""
	}
	threads := options.threads()
	if f.DynamicWorkspace != nil {
		return fmt.Sprintf("# memory: temporaries take %s bytes\n", f.DynamicWorkspace.AddConst(threads*f.Own))
	}
	var list []*loop.Buffer
	sum, own := int64(0), map[string]bool{}
	for _, b := range f.Buffers {
		switch {
		case b.Region == loop.Workspace:
			list, sum = append(list, b), sum+b.Bytes()
		case b.Region == loop.Thread && !own[b.Name]: // not again for loops over what is left
			list, own[b.Name] = append(list, b), true
		}
	}
	slices.SortStableFunc(list, func(a, b *loop.Buffer) int { return cmp.Compare(b.Bytes(), a.Bytes()) })
	var names []string
	for _, b := range list[:min(len(list), temporariesShown)] {
		name := b.Name + " " + units.Bytes(b.Bytes())
		if b.Region == loop.Thread && threads > 1 {
			name += fmt.Sprintf(" for each of %d threads", threads)
		}
		names = append(names, name)
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	remarks := ""
	if sum > f.Workspace {
		remarks = "; some take turns in the same memory"
	}
	bytes := f.Workspace + threads*f.Own
	if limit := options.memoryLimit(); limit > 0 && bytes > limit {
		remarks += fmt.Sprintf("; a call is refused, since the limit is %s", units.Bytes(limit))
	}
	return fmt.Sprintf("# memory: temporaries take %s: %s%s\n", units.Bytes(bytes), strings.Join(names, ", "), remarks)
}

// memoryLimit is the most bytes that temporaries of a call may take; 0 is no limit.
func (o Options) memoryLimit() int64 {
	switch {
	case o.Memory > 0:
		return o.Memory
	case o.Memory < 0:
		return 0
	}
	return machine.AvailableMemory() / 4 * 3
}

// A memoryError says that temporaries do not fit into memory.
type memoryError struct{ bytes, limit int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("the temporaries take %s, and the limit is %s", units.Bytes(e.bytes), units.Bytes(e.limit))
}

// fits refuses temporaries that do not fit into memory, before the machine begins to swap.
func (n *native) fits(bytes int64) error {
	if n.memory == 0 || bytes <= n.memory {
		return nil
	}
	return &memoryError{bytes, n.memory}
}

// named is the diagnostic for temporaries that do not fit, which names the largest; other errors stay as they are.
func (k *Kernel) named(err error, sizes map[string]int64) error {
	var refused *memoryError
	if !errors.As(err, &refused) {
		return err
	}
	e := &Diagnostic{Code: source.TooMuchMemory, Span: k.def.info.Pos,
		Message: fmt.Sprintf("the temporaries of %s take %s, and the limit is %s", k.def.Name(), units.Bytes(refused.bytes), units.Bytes(refused.limit))}
	what := "call it for parts of its arguments at a time"
	if list := k.largest(sizes); len(list) > 0 {
		for _, t := range list[:min(temporariesShown, len(list))] {
			if t.bytes >= list[0].bytes/8 {
				e.WithNote(t.tensor.Pos, "%s", t.text())
			}
		}
		what = list[0].instead(k.def.info.Func)
	}
	return ErrorList{e.WithHelp("%s, or allow more: --memory %s, Options.Memory", what, units.BytesUp(refused.bytes))}
}

// A temporary is one that lies in memory.
type temporary struct {
	tensor *ein.Tensor
	shape  []string // what of it
	bytes  int64
	block  bool
}

// largest lists the temporaries that a kernel keeps in memory, the largest first: as far as they are tensors of the
// program, whole or in blocks. It takes the steps of the compilation again.
func (k *Kernel) largest(sizes map[string]int64) (list []temporary) {
	job, err := k.def.compilation(sizes, k.options)
	if err != nil {
		return nil
	}
	job.findTunedAnywhere(context.Background())
	s, err := job.ordered()
	if err != nil {
		return nil
	}
	met := map[*ein.Tensor]bool{}
	for _, b := range s.loop.Buffers {
		name, isBlock := strings.CutSuffix(b.Name, "_block")
		t := s.ein.Tensor(name)
		if b.Region != loop.Workspace && b.Region != loop.Thread || t == nil || t.Role != ein.Temp || met[t] {
			continue
		}
		one := temporary{tensor: t, block: isBlock, bytes: int64(t.Type.Size())}
		for _, d := range t.Dims {
			n, err := d.Extent.Eval(sizes)
			if err != nil {
				return nil
			}
			one.shape, one.bytes = append(one.shape, fmt.Sprint(n)), one.bytes*n
		}
		if isBlock {
			one.bytes = b.Bytes()
		}
		list, met[t] = append(list, one), true
	}
	slices.SortStableFunc(list, func(a, b temporary) int { return cmp.Compare(b.bytes, a.bytes) })
	return list
}

func (t temporary) text() string {
	text := fmt.Sprintf("%s: %s(%s)", t.tensor.Name, t.tensor.Type, strings.Join(t.shape, ", "))
	if t.block {
		return fmt.Sprintf("%s, of which a block takes %s for each thread", text, units.Bytes(t.bytes))
	}
	return fmt.Sprintf("%s takes %s", text, units.Bytes(t.bytes))
}

// instead says what to write so that a temporary is not needed: its value where it is read. A sum would be computed
// again for each element there.
func (t temporary) instead(f *ein.Func) string {
	readers, reduced := 0, false
	for _, c := range f.Body {
		if slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor.Name == t.tensor.Name }) {
			readers++
		}
		if slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor.Name == t.tensor.Name }) {
			reduced = reduced || len(c.ByKind(ein.Reduce))+len(c.ByKind(ein.Scan)) > 0
		}
	}
	switch {
	case reduced:
		return fmt.Sprintf("call the def for a part of %s at a time", t.tensor.Name)
	case readers > 1:
		return fmt.Sprintf("write the value of %s into the %d statements that read it", t.tensor.Name, readers)
	}
	return fmt.Sprintf("write the value of %s into the statement that reads it", t.tensor.Name)
}
