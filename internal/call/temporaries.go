package call

import (
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
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
	e := &source.Diagnostic{Code: source.TooMuchMemory, Span: k.def.Pos,
		Message: fmt.Sprintf("the temporaries of %s take %s, and the limit is %s", k.def.Name, units.Bytes(refused.bytes), units.Bytes(refused.limit))}
	what := "call it for parts of its arguments at a time"
	if list := compile.Temporaries(k.def.Def, sizes, k.options.Options); len(list) > 0 {
		for _, t := range list[:min(compile.TemporariesShown, len(list))] {
			if t.Bytes >= list[0].Bytes/8 {
				e.WithNote(t.Tensor.Pos, "%s", t)
			}
		}
		what = list[0].Instead(k.def.Func)
	}
	return source.ErrorList{e.WithHelp("%s, or allow more: --memory %s, Options.Memory", what, units.BytesUp(refused.bytes))}
}
