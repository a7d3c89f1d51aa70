package fetch

import "github.com/ricci-lang/ricci/internal/machine"

// facts are the quantities of a machine that rules ask for, whole numbers all of them.
type facts struct {
	line         int64
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
	return facts{
		line:         p.Whole(machine.Line),
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
