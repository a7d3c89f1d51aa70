package ricci

import (
	"context"
	"encoding/json"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/source"
)

// An Estimate says how long a def should take with the schedule that it has, what
// limits it, and how far it is from the limit of the machine. It is a prediction of
// the cost model; nothing runs.
type Estimate struct{ report *estimate.Report }

// Seconds is the predicted time of a call.
func (e *Estimate) Seconds() float64 { return e.report.Seconds }

// Floor is the least time that any schedule needs on the machine.
func (e *Estimate) Floor() float64 { return e.report.Floor.Seconds }

// String explains the estimate in lines that begin with #, as comments of the text
// of a schedule do.
func (e *Estimate) String() string { return e.report.String() }

// MarshalJSON writes the whole breakdown.
func (e *Estimate) MarshalJSON() ([]byte, error) { return json.Marshal(e.report) }

// Estimate predicts the time of a call with these sizes, with the schedule that
// Stage shows.
func (d *Def) Estimate(ctx context.Context, sizes map[string]int64, options Options) (e *Estimate, err error) {
	defer source.RecoverInternal("estimate", &err)
	options.shown = true
	job, err := compile.NewForSizes(ctx, d.source, sizes, options.internal())
	if err != nil {
		return nil, err
	}
	return estimated(ctx, job)
}

// EstimateFor is Estimate for arguments of a signature, strides included, with the schedule that StageFor shows.
func (d *Def) EstimateFor(ctx context.Context, signature Signature, options Options) (e *Estimate, err error) {
	defer source.RecoverInternal("estimate", &err)
	options.shown = true
	job, err := compile.New(ctx, d.source, compile.Signature(signature), options.internal())
	if err != nil {
		return nil, err
	}
	return estimated(ctx, job)
}

func estimated(ctx context.Context, job *compile.Job) (*Estimate, error) {
	job.FindTunedAnywhere(ctx)
	s, err := job.Ordered()
	if err != nil {
		return nil, err
	}
	model, err := estimate.New(s.Func, job.Machine, schedule.Options{Strides: job.LoopStrides()})
	if err != nil {
		return nil, err
	}
	report, err := model.Estimate(s.Tree)
	if err != nil {
		return nil, err
	}
	return &Estimate{report}, nil
}
