package judge

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Verdict is what the judge found out about a kernel.
type Verdict struct {
	// Values are the findings on the caller's numbers, Exact those on drawn ones; nil where there
	// are none.
	Values, Exact Findings
	// Remarks say what was not judged, and why.
	Remarks []string
}

// OK reports whether nothing is wrong. That something was judged is Judged.
func (v *Verdict) OK() bool { return v.Values.OK() && v.Exact.OK() }

// Unjudged returns an output that has elements, none of which was compared; "" where there is none.
func (v *Verdict) Unjudged(f *ein.Func) string {
	for _, t := range f.Outputs() {
		values, exact := v.Values[t.Name], v.Exact[t.Name]
		known := v.Values != nil || v.Exact != nil
		if values.Compared()+exact.Compared() == 0 && (!known || values.Of+exact.Of > 0) {
			return t.Name
		}
	}
	return ""
}

// A Call runs the kernel that is judged.
type Call func(args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)

// Kernel judges what a call has computed, and what the same kernel computes on drawn numbers.
// A nil call leaves that out. The error says that nothing could be judged.
func Kernel(ctx context.Context, c Case, call Call, o Options) (*Verdict, error) {
	v := &Verdict{}
	var err error
	if v.Values, err = Values(ctx, c, o); err != nil {
		return nil, err
	}
	if err := c.likely(ctx, v.Values, o); err != nil {
		return nil, err
	}
	if call == nil {
		return v, nil
	}
	return v, v.exact(ctx, c, call, o)
}

func (v *Verdict) exact(ctx context.Context, c Case, call Call, o Options) error {
	numbers, err := Draw(ctx, c.Func, c.Sizes, c.Args, o)
	if err != nil {
		return err
	}
	defer numbers.Close()
	if !numbers.Drawn {
		return nil // the caller's numbers are all there are
	}
	drawn := c
	drawn.Args = numbers.Args
	if drawn.Outputs, err = call(numbers.Args); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.Remarks = append(v.Remarks, fmt.Sprintf("there is no run on whole numbers: %v", err))
		return nil
	}
	v.Exact, err = Values(ctx, drawn, o)
	return err
}
