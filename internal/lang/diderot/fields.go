package diderot

import (
	"fmt"
	"io"
	"strings"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// techniques are the names of what can be left out to measure what it is worth.
var techniques = map[string]field.Technique{"sharing": field.Sharing, "epsilon": field.Epsilons, "binding": field.SumBinding}

// fields writes what each probe of a program becomes: the operator of all of it, that in normal form, and
// how many samples and operations it takes.
func fields(w io.Writer, file *source.File, options lang.Options, how lang.FieldOptions) error {
	program, _, diagnostics := checked(file, options)
	if err := diagnostics.Err(); err != nil {
		return err
	}
	l := newLowering(program, Numbers{Double: options.Double, LongInt: options.LongInt})
	for _, name := range how.Without {
		l.techniques.Without |= techniques[name]
	}
	if err := l.whole(program); err != nil {
		return err
	}
	for k, p := range l.probed {
		if k > 0 {
			fmt.Fprintln(w)
		}
		span := p.expr.Span()
		at := file.Position(span.Start)
		fmt.Fprintf(w, "%s  (%s:%d:%d)\n", strings.Join(strings.Fields(span.Text()), " "), file.Name, at.Line, at.Column)
		fmt.Fprintf(w, "  fused    %s\n  normal   %s\n", p.fused, p.normal)
		numbers := 0
		for _, s := range p.expansion.Samples() {
			numbers += len(s.Wanted)
		}
		fmt.Fprintf(w, "  becomes  %d samples with %d numbers, %d operations\n", len(p.expansion.Samples()), numbers, p.expansion.Shared)
		if how.Sizes {
			for line := range strings.Lines(p.counters.Table(p.expansion)) {
				fmt.Fprint(w, "  ", line)
			}
		}
	}
	return nil
}
