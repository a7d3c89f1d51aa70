package call

import (
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/units"
)

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
	return refused.of(k.def.Def, sizes, k.options.Options)
}

// CheckMemory refuses temporaries of a call that do not fit into the memory that options allow.
func CheckMemory(d *compile.Def, w *plan.Workspace, sizes map[string]int64, options compile.Options) error {
	bytes, limit := w.Bytes+options.ThreadCount()*w.Thread, options.MemoryLimit()
	if w.Dynamic != "" || limit == 0 || bytes <= limit {
		return nil
	}
	return (&memoryError{bytes, limit}).of(d, sizes, options)
}

// of is the diagnostic for a call of a def.
func (e *memoryError) of(def *compile.Def, sizes map[string]int64, options compile.Options) error {
	d := &source.Diagnostic{Code: source.TooMuchMemory, Span: def.Pos,
		Message: fmt.Sprintf("the temporaries of %s take %s, and the limit is %s", def.Name, units.Bytes(e.bytes), units.Bytes(e.limit))}
	what := "call it for parts of its arguments at a time"
	if list := compile.Temporaries(def, sizes, options); len(list) > 0 {
		for _, t := range list[:min(compile.TemporariesShown, len(list))] {
			if t.Bytes >= list[0].Bytes/8 {
				d.WithNote(t.Tensor.Pos, "%s", t)
			}
		}
		what = list[0].Instead(def.Func)
	}
	return source.ErrorList{d.WithHelp("%s, or allow more: --memory %s, Options.Memory", what, units.BytesUp(e.bytes))}
}
