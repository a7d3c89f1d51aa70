package native

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// TestAgree: a fault is the program's where both find the same.
func TestAgree(t *testing.T) {
	fault := func(code source.Code, n, step int) error {
		return strand.NewFault(code, source.Span{}, n, nil, step, "wrong")
	}
	ended := &strand.Fault{Strand: 1, Step: 2, Err: context.Canceled}
	for what, row := range map[string]struct {
		kernel, evaluator error
		want              string
	}{
		"neither":                   {nil, nil, ""},
		"the same":                  {fault(source.StrandElement, 3, 2), fault(source.StrandElement, 3, 2), "strand 3 in step 2"},
		"the kernel":                {fault(source.StrandElement, 3, 2), nil, "the strand evaluator does not fail, but the kernel does"},
		"the evaluator":             {nil, fault(source.StrandProbe, 3, 2), "the kernel does not fail, but the strand evaluator does"},
		"another strand":            {fault(source.StrandElement, 3, 2), fault(source.StrandElement, 2, 2), "fails otherwise"},
		"another step":              {fault(source.StrandElement, 3, 2), fault(source.StrandElement, 3, 1), "fails otherwise"},
		"another fault":             {fault(source.StrandElement, 3, 2), fault(source.StrandProbe, 3, 2), "fails otherwise"},
		"an interrupt":              {ended, nil, "context canceled"},
		"an interrupt of the judge": {nil, ended, "context canceled"},
		"no memory for the judge":   {nil, fault(source.StrandMemory, 0, 1), "cannot judge"},
	} {
		err := agree(row.kernel, row.evaluator)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", what, err, row.want)
		}
		if what == "the same" && !errors.Is(err, row.kernel) {
			t.Error("the fault is not that of the program")
		}
	}
}
