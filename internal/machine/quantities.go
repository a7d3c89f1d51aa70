package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// How numbers of the hardware reach rules and the model
//
// What a processor costs, beside the sizes and speeds of its layers, are quantities: one row of a table each, with
// the value that is usual. A machine says what differs, in the text form by the name of the row; the rest is
// usual. Makers of schedules and the model ask the processor (Processor.Value) and have no such numbers of their
// own; docs/machines.md lists the rows and who asks for them.

// A Quantity is a number that rules and the model read of a machine.
type Quantity uint8

// The quantities, in the order of the table.
const (
	Page Quantity = iota
	Run
	Ahead
	Streams
	NextBytes
	LastBytes
	Share
	Line
	Ways
	Clock
	Fork
	Decode
	Decoded
	Loads
	Stores
	Pending
	Iteration
	Mispredict
	Foreseen
	Units
	AddLatency
	Divide
	Unaligned
	Straddle
	Shuffle
	LaneIn
	LaneOut
	Mask
	Followed
	FollowedRows
	ResultsAhead
	RowsAhead
	FillAhead
	NearPanel
	Way
	NearResults
	NearOperand
	NearRows
	NearStrip
	FarBlocks
	PanelAhead
	StreamAhead
	FarOperand
	FetchSteps
	LostSteps
	NextWays
	OneCore
	AllCores
	ShortRuns
	LoadMiss
	Choice
	Drain
	TileRows
	TileRow
	Tiles
	TileCycles
	PartsBytes
	PlaneBytes
	PartsCall
	PartsProduct
	PartsKept
	PartsPassing
	PartsTransposed
	WindowRow
	WindowProduct
	WindowPoints
	WindowSums
	GroupsBytes
	Transaction
	DeviceLatency
	LastCache
	LastCached
	Banks
	BankBytes
	LocalLatency
	LocalInCore
	GroupCores
	GroupClock
	Launch
	ResidentItems
	ResidentGroups
	RegisterFile
	Issue
	NearCache
	Transactions
	Barrier
	SubGroup
	ItemLanes
	ItemDouble
	ItemInteger
	ItemLong
	ItemConvert
	ItemDivide
	ItemCall
	ItemLatency
	ItemBytes
	InFlight
	ItemVector
	ItemAhead
	Fragments
	quantities // how many there are
)

// A quantityRow says what a quantity is.
type quantityRow struct {
	name    string
	layer   string  // that it is a fact about
	unit    string  // in which it is counted and written; bytesUnit has its own multiples, a mere number none
	least   float64 // with less, blocks would have no elements; 0 is any above 0
	usual   float64
	meaning string
}

const bytesUnit = "B"

// Quantities beyond these are mistakes: rules would count in overflowing numbers.
const (
	mostBytes               = 1 << 30
	leastNumber, mostNumber = 1e-3, 1e6
)

// quantityRows is the table of all quantities. Usual values are those of processors of the last decade.
var quantityRows = [quantities]quantityRow{
	Page:         {"page", MainMemory, bytesUnit, 512, 4096, "bytes of a page; what lies in several of them takes more translations, and prefetchers of the hardware end with it"},
	Run:          {"run", MainMemory, bytesUnit, 64, 2048, "bytes side by side, from which on the prefetchers of the hardware keep up"},
	Ahead:        {"ahead", MainMemory, bytesUnit, 64, 3072, "how far ahead of what is read in a row a program asks for lines"},
	Streams:      {"streams", MainMemory, "", 0, 16, "rows that prefetchers of the hardware follow at the same time"},
	NextBytes:    {"per-cycle", "L2", bytesUnit, 0, 32, "bytes that it delivers to one core in a cycle, at most"},
	LastBytes:    {"per-cycle", "L3", bytesUnit, 0, 12, "bytes that it delivers to one core in a cycle, at most"},
	Share:        {"share", "L3", bytesUnit, 0, 32 << 20, "of it that each core may count on; a virtual machine is told the size of all of it, where its neighbours have the most"},
	Line:         {"line", "L1", bytesUnit, 16, 64, "bytes of a line: what caches fetch and write back at a time"},
	Ways:         {"ways", "L1", "", 0, 8, "lines of one set: so many that are as far apart as all sets together have room"},
	Clock:        {"clock", CoreLayer, "GHz", 0, 2.5, "cycles in a nanosecond"},
	Fork:         {"fork", CoreLayer, "µs", 0, 3, "until all threads work on a loop, and are waited for"},
	Decode:       {"decode", CoreLayer, "", 0, 4, "instructions that begin in a cycle"},
	Decoded:      {"decoded", CoreLayer, "", 0, 2000, "instructions of a loop that need not be decoded again"},
	Loads:        {"loads", CoreLayer, "", 0, 2, "loads in a cycle"},
	Stores:       {"stores", CoreLayer, "", 0, 1, "stores in a cycle"},
	Pending:      {"pending", CoreLayer, "", 0, 12, "lines that may be on their way to or from the memory at the same time"},
	Iteration:    {"iteration", CoreLayer, "cycles", 0, 1, "of the control of a loop, at least"},
	Mispredict:   {"mispredict", CoreLayer, "cycles", 0, 15, "lost by a branch that goes another way than foreseen"},
	Foreseen:     {"foreseen", CoreLayer, "", 0, 24, "iterations of a loop whose end is foreseen"},
	Units:        {"units", LaneLayer, "", 0, 2, "instructions of vector arithmetic in a cycle"},
	AddLatency:   {"add-latency", LaneLayer, "cycles", 0, 4, "from an addition, or a multiplication with an addition, to the one that needs its result"},
	Divide:       {"divide", LaneLayer, "", 0, 20, "additions in the time of a division or a square root"},
	Unaligned:    {"unaligned", LaneLayer, "", 0, 1.9, "loads of a vector in one line in the time of one that may lie in two"},
	Straddle:     {"straddle", LaneLayer, "cycles", 0, 0.6, "of a vector in two lines that arithmetic does not hide"},
	Shuffle:      {"shuffle", LaneLayer, "cycles", 0, 2, "of putting a vector together of two"},
	LaneIn:       {"lane-in", LaneLayer, "", 0, 2, "instructions that put a lane into a vector which is read from elsewhere, beside the load"},
	LaneOut:      {"lane-out", LaneLayer, "", 0, 4, "instructions that take a lane out of a vector and store it elsewhere"},
	Mask:         {"mask", LaneLayer, "", 0, 8, "instructions of a load or store of some lanes, whose mask is computed"},
	Followed:     {"followed", MainMemory, bytesUnit, 1, 512, "bytes between rows that prefetchers of the hardware still follow"},
	FollowedRows: {"followed-rows", MainMemory, "", 0, 256, "rows that are few enough for them, or end before it pays to ask for more"},
	ResultsAhead: {"results-ahead", MainMemory, bytesUnit, 1, 1024, "of a row of results that short sums ask for ahead"},
	RowsAhead:    {"rows-ahead", MainMemory, "", 0, 4, "rows that the steps of a sum ask for ahead"},
	FillAhead:    {"fill-ahead", MainMemory, "", 0, 6, "rows that are asked for ahead by the register tile that copies them"},
	NearPanel:    {"near-panel", "L1", bytesUnit, 1, 16 << 10, "bytes of a panel that stays there between register tiles"},
	Way:          {"way", "L2", bytesUnit, 64, 64 << 10, "bytes after which lines share a set"},
	NearResults:  {"near-results", "L2", bytesUnit, 1, 64 << 10, "bytes of results that are there anyway"},
	NearOperand:  {"near-operand", "L2", bytesUnit, 1, 1 << 20, "bytes of an operand that stays there"},
	NearRows:     {"near-rows", "L2", bytesUnit, 1, 500 << 10, "bytes of an operand whose rows come from there in time by themselves"},
	NearStrip:    {"near-strip", "L2", bytesUnit, 1, 64 << 10, "bytes of a strip beside which it has time for the next one"},
	FarBlocks:    {"far-blocks", "L2", bytesUnit, 1, 512 << 10, "bytes of an operand beyond which its blocks come from further away"},
	PanelAhead:   {"panel-ahead", "L2", bytesUnit, 1, 1536, "of a panel that are asked for ahead"},
	StreamAhead:  {"stream-ahead", "L2", "", 0, 6, "rows that the steps of a sum ask for ahead"},
	FarOperand:   {"far-operand", "L3", bytesUnit, 1, 24 << 20, "bytes of an operand beyond which it comes from memory"},
	FetchSteps:   {"fetch-steps", CoreLayer, "", 0, 24, "steps of a sum in which lines come from memory"},
	LostSteps:    {"lost-steps", CoreLayer, "", 0, 12, "steps of a sum in which none comes"},
	NextWays:     {"ways", "L2", "", 0, 8, "lines of one set"},
	OneCore:      {"one-core", MainMemory, "GB/s", 0, 12, "bytes that it delivers to one core, where no speed is known"},
	AllCores:     {"all-cores", MainMemory, "GB/s", 0, 40, "bytes that it delivers to all cores together, where no speed is known"},
	ShortRuns:    {"short-runs", MainMemory, "", 0, 1.2, "how much longer a line takes in the shortest runs, as a part of its time in long ones"},
	LoadMiss:     {"load-miss", "L1", "cycles", 0, 0.1, "of every load, since some miss it"},
	Choice:       {"choice", LaneLayer, "", 0, 3, "additions in the time until a result waits no longer for a minimum or a choice"},
	Drain:        {"drain", CoreLayer, "cycles", 0, 15, "until sums have begun and are complete, beside their steps"},

	// Of a matrix unit: what its instructions take, what is kept near for it, and what products of float32 in parts cost.
	TileRows:        {"tile-rows", CoreLayer, "", 0, 16, "rows that a tile of the matrix unit has at most"},
	TileRow:         {"tile-row", CoreLayer, bytesUnit, 4, 64, "bytes of a row of a tile: so many columns of 32 bits, and groups of a row of an operand"},
	Tiles:           {"tiles", CoreLayer, "", 0, 8, "tiles that a core has"},
	TileCycles:      {"tile-product", CoreLayer, "cycles", 0, 16, "until the unit takes the next product of two tiles"},
	PartsBytes:      {"parts", "L2", bytesUnit, 1, 960 << 10, "of the parts of float32 that stay there between the panels of the other operand"},
	PlaneBytes:      {"plane-parts", "L2", bytesUnit, 1, 896 << 10, "of the parts of float32 of planes and of filters that stay there between windows"},
	PartsCall:       {"parts-call", CoreLayer, "cycles", 0, 8000, "of a product in parts at least: a unit that was idle has to wake up"},
	PartsProduct:    {"parts-product", CoreLayer, "cycles", 0, 645, "of a product in parts of 32 rows, columns and members"},
	PartsKept:       {"parts-kept", CoreLayer, "cycles", 0, 0.36, "of making parts of an element that are kept"},
	PartsPassing:    {"parts-passing", CoreLayer, "cycles", 0, 0.76, "of making parts of an element while the unit is busy"},
	PartsTransposed: {"parts-transposed", CoreLayer, "cycles", 0, 0.22, "more, of an element whose neighbours are transposed before"},
	WindowRow:       {"window-row", CoreLayer, "cycles", 0, 1.5, "of making parts of an element of a filter"},
	WindowProduct:   {"window-product", CoreLayer, "cycles", 0, 620, "of a product in parts of 32 rows, points and members of windows, beside which vectors do nothing"},
	WindowPoints:    {"window-points", CoreLayer, "cycles", 0, 20, "of making parts of a point of 32 members of a plane"},
	WindowSums:      {"window-sums", CoreLayer, "cycles", 0, 3000, "of adding 32 x 32 sums of windows to results"},

	// Of machines with groups of items (grid.go).
	GroupsBytes:    {"all-groups", DeviceMemory, "GB/s", 0, 500, "bytes that it delivers to all groups together"},
	Transaction:    {"transaction", DeviceMemory, bytesUnit, 4, 32, "bytes that are moved at once: what a sub-group reads and writes is moved by so many at a time, whether it wants all of them or not"},
	DeviceLatency:  {"latency", DeviceMemory, "cycles", 0, 500, "from a load to what needs its value"},
	LastCache:      {"cache", DeviceMemory, bytesUnit, 1, 4 << 20, "bytes of the cache in front of it, which all groups share"},
	LastCached:     {"cached", DeviceMemory, "GB/s", 0, 1500, "bytes that this cache delivers to all groups together"},
	Banks:          {"banks", GroupMemory, "", 0, 32, "banks, each of which delivers one word in a cycle"},
	BankBytes:      {"bank", GroupMemory, bytesUnit, 1, 4, "bytes of such a word"},
	LocalLatency:   {"latency", GroupMemory, "cycles", 0, 25, "from a load to what needs its value"},
	LocalInCore:    {"in-core", GroupMemory, bytesUnit, 1, 96 << 10, "bytes that one core has, for all groups that it runs at the same time"},
	GroupCores:     {"cores", GroupLayer, "", 0, 40, "cores that run groups, where their count is not known"},
	GroupClock:     {"clock", GroupLayer, "GHz", 0, 1.4, "cycles in a nanosecond"},
	Launch:         {"launch", GroupLayer, "µs", 0, 5, "until a grid that is launched runs, and the host knows that it is done"},
	ResidentItems:  {"resident", GroupLayer, "", 0, 2048, "items that a core has at the same time, most of which wait"},
	ResidentGroups: {"resident-groups", GroupLayer, "", 0, 32, "groups that a core has at the same time"},
	RegisterFile:   {"file", GroupLayer, bytesUnit, 1, 256 << 10, "bytes of registers that the items of a core share"},
	Issue:          {"issue", GroupLayer, "", 0, 4, "instructions of sub-groups that a core begins in a cycle"},
	NearCache:      {"cache", GroupLayer, bytesUnit, 1, 32 << 10, "bytes of the cache that each core has in front of the memory of the device"},
	Transactions:   {"transactions", GroupLayer, "", 0, 4, "transactions between a core and this cache in a cycle"},
	Barrier:        {"barrier", GroupLayer, "cycles", 0, 30, "until all items of a group know that all have come"},
	SubGroup:       {"sub-group", ItemLayer, "", 0, 32, "items that run the same instruction at the same time, where no constraint says it"},
	ItemLanes:      {"lanes", ItemLayer, "", 0, 128, "additions of float32 that a core begins in a cycle"},
	ItemDouble:     {"double", ItemLayer, "", 0, 32, "additions of float32 in the time of one of float64"},
	ItemInteger:    {"integer", ItemLayer, "", 0, 2, "additions of float32 in the time of one of integers of up to 32 bits"},
	ItemLong:       {"long", ItemLayer, "", 0, 4, "additions of float32 in the time of one of integers of 64 bits"},
	ItemConvert:    {"convert", ItemLayer, "", 0, 4, "additions of float32 in the time of a conversion between integers and floats, or between floats of 32 and of 64 bits"},
	ItemDivide:     {"divide", ItemLayer, "", 0, 10, "additions in the time of a division or a square root"},
	ItemCall:       {"call", ItemLayer, "", 0, 20, "additions in the time of another function, such as exp"},
	ItemLatency:    {"latency", ItemLayer, "cycles", 0, 4, "from an addition to the one that needs its result"},
	ItemBytes:      {"own", ItemLayer, bytesUnit, 4, 1020, "bytes of registers that an item may have, where no capacity is known"},
	ItemVector:     {"vector", ItemLayer, bytesUnit, 1, 16, "bytes that an item loads or stores at once, at most"},
	ItemAhead:      {"ahead", ItemLayer, bytesUnit, 1, 0, "bytes that an item copies to local memory at once and goes on meanwhile, at most; 0: it loads and stores them"},
	Fragments:      {"fragments", ItemLayer, "", 0, 512, "products of numbers of 16 bits, each added to a sum, that the matrix units of a core begin in a cycle, where its instructions are among those of the lanes (mma_f16, mma_bf16, mma_tf32, mma_int8); of bytes twice as many, of tf32 half as many"},
	InFlight:       {"in-flight", ItemLayer, "", 0, 4, "iterations of a loop whose loads are on their way at the same time"},
}

// Value returns a quantity of the processor, in the unit of its row: what the machine says, or what is usual.
func (p *Processor) Value(q Quantity) float64 {
	if int(q) < len(p.Quantities) && p.Quantities[q] > 0 {
		return p.Quantities[q]
	}
	return quantityRows[q].usual
}

// Whole is Value of what is counted.
func (p *Processor) Whole(q Quantity) int64 { return int64(p.Value(q)) }

// CyclesPerSecond is the clock.
func (p *Processor) CyclesPerSecond() float64 { return p.Value(Clock) * 1e9 }

// set notes a value, beside which others are usual.
func (p *Processor) set(q Quantity, value float64) {
	if p.Quantities == nil {
		p.Quantities = make([]float64, quantities)
	}
	p.Quantities[q] = value
}

// WithValue returns the same processor with another value of a quantity.
func (p *Processor) WithValue(q Quantity, value float64) *Processor {
	other := *p
	other.Quantities = slices.Clone(p.Quantities)
	other.set(q, value)
	return &other
}

// readQuantities takes the quantities of the layers of a machine.
func (p *Processor) readQuantities(m *Machine) {
	for q := range quantities {
		if n := m.Find(quantityRows[q].layer); n > 0 && m.Layer(n).Quantities[q] > 0 {
			p.set(q, m.Layer(n).Quantities[q])
		}
	}
}

// setQuantities is the inverse of readQuantities. What is said of a cache that is not there has no place.
func (m *Machine) setQuantities(p *Processor) {
	for q := range Quantity(len(p.Quantities)) {
		m.SetQuantity(q, p.Quantities[q])
	}
}

// SetQuantity notes a quantity, in the unit of its row. One that is 0, or of a layer that the machine does not have, is not known.
func (m *Machine) SetQuantity(q Quantity, value float64) {
	if n := m.Find(quantityRows[q].layer); n > 0 && value > 0 {
		m.Layer(n).setQuantity(q, value)
	}
}

func (l *Layer) setQuantity(q Quantity, value float64) {
	if l.Quantities == nil {
		l.Quantities = map[Quantity]float64{}
	}
	l.Quantities[q] = value
}

// assumeUsual writes down all quantities that nobody knows, as what is assumed.
func (m *Machine) assumeUsual() {
	for q := range quantities {
		row := quantityRows[q]
		if n := m.Find(row.layer); n > 0 && m.Layer(n).Quantities[q] == 0 {
			m.Layer(n).setQuantity(q, row.usual)
			m.Layer(n).note(row.name, Assumed)
		}
	}
}

// quantityKeys are the words of the text form, one for all quantities of a name.
func quantityKeys() []layerKey {
	var list []layerKey
	for q := range quantities {
		row := quantityRows[q]
		of := ofMemories
		if slices.Contains([]string{CoreLayer, LaneLayer, GroupLayer, ItemLayer}, row.layer) {
			of = ofCores
		}
		if at := slices.IndexFunc(list, func(k layerKey) bool { return k.name == row.name }); at >= 0 {
			list[at].of |= of
			continue
		}
		list = append(list, layerKey{name: row.name, of: of, value: row.form(), meaning: row.meaning,
			get: func(l *Layer) string {
				for q, value := range l.Quantities {
					if quantityRows[q].name == row.name {
						return quantityRows[q].text(value)
					}
				}
				return ""
			},
			set: func(l *Layer, text string) error { return setQuantity(l, row.name, text) }})
	}
	return list
}

func setQuantity(l *Layer, name, text string) error {
	var layers []string
	for q := range quantities {
		row := quantityRows[q]
		if row.name != name {
			continue
		}
		if layers = append(layers, row.layer); !l.is(row.layer) {
			continue
		}
		value, err := row.parse(text)
		if err == nil {
			l.setQuantity(q, value)
		}
		return err
	}
	return fmt.Errorf("expected it below %s: nothing reads it of %s", strings.Join(layers, " or "), l.Name)
}

// form is how a value is described.
func (r *quantityRow) form() string {
	switch r.unit {
	case "":
		return "NUMBER"
	case bytesUnit:
		return "BYTES"
	}
	return "NUMBER " + r.unit
}

// text and parse are inverse.
func (r *quantityRow) text(value float64) string {
	if r.unit == bytesUnit {
		return bytesWords(int64(value))
	}
	return strings.TrimSpace(strconv.FormatFloat(value, 'g', -1, 64) + " " + r.unit)
}

func (r *quantityRow) parse(text string) (float64, error) {
	if r.unit == bytesUnit {
		var n int64
		err := setBytes(&n, text)
		if err == nil && (float64(n) < r.least || n > mostBytes) {
			err = fmt.Errorf("expected %s to %s", r.text(max(1, r.least)), r.text(mostBytes))
		}
		return float64(n), err
	}
	number, unit, _ := strings.Cut(text, " ")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= leastNumber && value <= mostNumber) || strings.TrimSpace(unit) != r.unit {
		return 0, fmt.Errorf("expected a number from %g to %g%s, such as %s", leastNumber, mostNumber, map[bool]string{true: " with its unit"}[r.unit != ""], r.text(r.usual))
	}
	return value, nil
}

// A QuantityFact is a row of the table of quantities, for documents.
type QuantityFact struct{ Form, Layer, Usual, Meaning string }

// QuantityFacts lists the quantities in their order.
func QuantityFacts() []QuantityFact {
	var list []QuantityFact
	for _, r := range quantityRows {
		list = append(list, QuantityFact{Form: r.name + " " + r.form(), Layer: r.layer, Usual: r.text(r.usual), Meaning: r.meaning})
	}
	return list
}
