package fetch

import "github.com/ricci-lang/ricci/internal/machine"

// facts are what rules ask of a machine: its quantities, whole numbers all of them, and what asking ahead pays for.
type facts struct {
	paysRows     bool // in rows far apart
	paysNearRuns bool // in runs of what the last cache holds
	paysFarRuns  bool // in runs of main memory
	line         int64
	nextWays     int64
	run          int64
	way          int64
	page         int64
	followed     int64
	followedRows int64
	fetchSteps   int64
	lostSteps    int64
	nearResults  int64
	nearPanel    int64
	nearOperand  int64
	nearRows     int64
	farBlocks    int64
	farOperand   int64
	nearStrip    int64
	resultsAhead int64
	panelAhead   int64
	rowsAhead    int64
	streamAhead  int64
	fillAhead    int64
}

func factsOf(p *machine.Processor) facts {
	ratios := p.Ratios()
	return facts{
		paysRows:     machine.Pays(ratios.AskedRows),
		paysNearRuns: machine.Pays(ratios.AskedNearSums),
		paysFarRuns:  machine.Pays(ratios.AskedSums),
		line:         p.Whole(machine.Line),
		nextWays:     p.Whole(machine.NextWays),
		run:          p.Whole(machine.Run),
		way:          p.Whole(machine.Way),
		page:         p.Whole(machine.Page),
		followed:     p.Whole(machine.Followed),
		followedRows: p.Whole(machine.FollowedRows),
		fetchSteps:   p.Whole(machine.FetchSteps),
		lostSteps:    p.Whole(machine.LostSteps),
		nearResults:  p.Whole(machine.NearResults),
		nearPanel:    p.Whole(machine.NearPanel),
		nearOperand:  p.Whole(machine.NearOperand),
		nearRows:     p.Whole(machine.NearRows),
		farBlocks:    p.Whole(machine.FarBlocks),
		farOperand:   p.Whole(machine.FarOperand),
		nearStrip:    p.Whole(machine.NearStrip),
		resultsAhead: p.Whole(machine.ResultsAhead),
		panelAhead:   p.Whole(machine.PanelAhead),
		rowsAhead:    p.Whole(machine.RowsAhead),
		streamAhead:  p.Whole(machine.StreamAhead),
		fillAhead:    p.Whole(machine.FillAhead),
	}
}
