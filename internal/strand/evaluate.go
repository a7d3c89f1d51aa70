package strand

import "context"

// A Result is what a program makes.
type Result struct {
	Outputs []*Output
	Steps   int
}

// Evaluate runs a program until no strand is active, at most limit super-steps where it is not 0.
func Evaluate(ctx context.Context, p *Program, given Given, limit int, options Options) (*Result, error) {
	w, err := NewWorld(ctx, p, given, options)
	if err != nil {
		return nil, err
	}
	steps, err := w.Run(ctx, limit)
	if err != nil {
		return nil, err
	}
	outputs, err := w.Outputs()
	return &Result{outputs, steps}, err
}
