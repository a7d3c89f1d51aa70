package compile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/units"
)

// TemporariesShown is how many temporaries are named, the largest first.
const TemporariesShown = 4

// MemoryText says in a comment how much memory the temporaries of a kernel take, and where that is more than a call may;
// nothing where there are none.
func MemoryText(f *loop.Func, options Options) string {
	if f == nil || f.Workspace == 0 && f.DynamicWorkspace == nil && f.Own == 0 {
		return ""
	}
	threads := options.ThreadCount()
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
	for _, b := range list[:min(len(list), TemporariesShown)] {
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
	if limit := options.MemoryLimit(); limit > 0 && bytes > limit {
		remarks += fmt.Sprintf("; a call is refused, since the limit is %s", units.Bytes(limit))
	}
	return fmt.Sprintf("# memory: temporaries take %s: %s%s\n", units.Bytes(bytes), strings.Join(names, ", "), remarks)
}

// MemoryLimit is the most bytes that temporaries of a call may take; 0 is no limit.
func (o Options) MemoryLimit() int64 {
	switch {
	case o.Memory > 0:
		return o.Memory
	case o.Memory < 0:
		return 0
	}
	return machine.AvailableMemory() / 4 * 3
}

// A Temporary is one that lies in memory.
type Temporary struct {
	Tensor *ein.Tensor
	Bytes  int64
	shape  []string // what of it
	block  bool
}

// Temporaries lists the temporaries that a kernel keeps in memory, the largest first: as far as they are tensors of the
// program, whole or in blocks. It takes the steps of the compilation again.
func Temporaries(d *Def, sizes map[string]int64, options Options) (list []Temporary) {
	job, err := NewForSizes(context.Background(), d, sizes, options)
	if err != nil {
		return nil
	}
	job.FindTunedAnywhere(context.Background())
	s, err := job.Ordered()
	if err != nil {
		return nil
	}
	met := map[*ein.Tensor]bool{}
	for _, b := range s.Loop.Buffers {
		name, isBlock := strings.CutSuffix(b.Name, "_block")
		t := s.Func.Tensor(name)
		if b.Region != loop.Workspace && b.Region != loop.Thread || t == nil || t.Role != ein.Temp || met[t] {
			continue
		}
		one := Temporary{Tensor: t, block: isBlock, Bytes: int64(t.Type.Size())}
		for _, d := range t.Dims {
			n, err := d.Extent.Eval(sizes)
			if err != nil {
				return nil
			}
			one.shape, one.Bytes = append(one.shape, fmt.Sprint(n)), one.Bytes*n
		}
		if isBlock {
			one.Bytes = b.Bytes()
		}
		list, met[t] = append(list, one), true
	}
	slices.SortStableFunc(list, func(a, b Temporary) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// String says what it is and takes.
func (t Temporary) String() string {
	text := fmt.Sprintf("%s: %s(%s)", t.Tensor.Name, t.Tensor.Type, strings.Join(t.shape, ", "))
	if t.block {
		return fmt.Sprintf("%s, of which a block takes %s for each thread", text, units.Bytes(t.Bytes))
	}
	return fmt.Sprintf("%s takes %s", text, units.Bytes(t.Bytes))
}

// Instead says what to write so that a temporary is not needed: its value where it is read. A sum would be computed
// again for each element there.
func (t Temporary) Instead(f *ein.Func) string {
	readers, reduced := 0, false
	for _, c := range f.Body {
		if slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor.Name == t.Tensor.Name }) {
			readers++
		}
		if slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor.Name == t.Tensor.Name }) {
			reduced = reduced || len(c.ByKind(ein.Reduce))+len(c.ByKind(ein.Scan)) > 0
		}
	}
	switch {
	case reduced:
		return fmt.Sprintf("call the def for a part of %s at a time", t.Tensor.Name)
	case readers > 1:
		return fmt.Sprintf("write the value of %s into the %d statements that read it", t.Tensor.Name, readers)
	}
	return fmt.Sprintf("write the value of %s into the statement that reads it", t.Tensor.Name)
}
