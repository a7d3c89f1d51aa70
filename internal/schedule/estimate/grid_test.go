package estimate

import (
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// gridMachine is the model of a machine with sub-groups of 32, and usual quantities otherwise.
func gridMachine(t testing.TB) *machine.Processor {
	t.Helper()
	p, err := machine.Named("cuda+wrp").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ofGrid judges the text of a tree, of which Check knows nothing bad.
func ofGrid(t testing.TB, p *machine.Processor, function, tree string) *Report {
	t.Helper()
	f, err := ein.ParseFunc("function", function)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Parse(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := schedule.Check(f, s); err != nil {
		t.Fatal(err)
	}
	r, err := Estimate(f, s, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func component(r *Report, part int, name string) float64 {
	for _, c := range r.Parts[part].Components {
		if c.Name == name {
			return c.Seconds
		}
	}
	return math.NaN()
}

const (
	copyFunction = `func copy {
  in A: float32[1024, 1024]
  out B: float32[1024, 1024]
  for i in 0:1024, j in 0:1024 { B[i, j] = A[i, j] }
}`
	transposeFunction = `func transpose {
  in A: float32[1024, 1024]
  out B: float32[1024, 1024]
  for i in 0:1024, j in 0:1024 { B[j, i] = A[i, j] }
}`
	productFunction = `func product {
  in A: float32[512, 512]
  in B: float32[512, 512]
  out C: float32[512, 512]
  for i in 0:512, j in 0:512, k in 0:512 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	plainProduct = `domain S0[i, j, k]
band S0.i tile 16 groups | S0.j tile 16 groups
  band S0.i items 16 | S0.j items 16
    accumulate S0 register
      band S0.k
`
	stagedProduct = `domain S0[i, j, k]
band S0.i tile 16 groups | S0.j tile 16 groups
  band S0.i items 16 | S0.j items 16
    accumulate S0 register
      band S0.k tile 16
        place A local
          place B local
            band S0.k
`
	tiledProduct = `domain S0[i, j, k]
band S0.i tile 64 groups | S0.j tile 64 groups
  band S0.i tile 4 items 16 | S0.j tile 4 items 16
    accumulate S0 register
      band S0.k tile 16
        place A local
          place B local
            band S0.k | S0.i unroll | S0.j unroll
`
	heldProduct = `domain S0[i, j, k]
band S0.i tile 64 groups | S0.j tile 64 groups
  accumulate S0 register
    band S0.k tile 16
      place A local
        place B local
          band S0.k
            band S0.i tile 4 items 16 | S0.j tile 4 items 16
              band S0.i unroll | S0.j unroll
`
)

// TestCoalescing: neighbours that read and write side by side want all that is moved, others one value of each transaction; the
// former move 2 · 4 MiB, the latter eight times as much between cores and their caches.
func TestCoalescing(t *testing.T) {
	p := gridMachine(t)
	along := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.i groups | S0.j tile 256 groups\n  band S0.j items 256\n")
	across := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.j groups | S0.i tile 256 groups\n  band S0.i items 256\n")
	rows := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.i tile 8 groups | S0.j tile 4 groups\n  band S0.i items 8 | S0.j items 4\n")
	for _, test := range []struct {
		name string
		r    *Report
		want float64 // part of the transactions
	}{{"along rows", along, 1}, {"down columns", across, 4.0 / 32}, {"four side by side", rows, 0.5}} {
		l := test.r.Parts[0].Launch
		if l.Wanted["A"] != test.want || l.Wanted["B"] != test.want {
			t.Errorf("%s: %v of what is moved is wanted, expected %g", test.name, l.Wanted, test.want)
		}
	}
	ratio := component(across, 0, transactions) / component(along, 0, transactions)
	if math.Abs(ratio-8) > 1e-9 {
		t.Errorf("columns take %g times the transactions of rows, expected 8", ratio)
	}
	if far := along.Parts[0].Traffic[1].Bytes; far != 8<<20 {
		t.Errorf("a copy moves %g bytes of memory, expected %d", far, 8<<20)
	}
	if !(across.Seconds > along.Seconds) {
		t.Errorf("columns take %g s, rows %g s", across.Seconds, along.Seconds)
	}
}

// TestBanks counts by hand what items of a sub-group wait for in local memory of 32 banks of 4 bytes.
func TestBanks(t *testing.T) {
	g := (&Model{machine: gridMachine(t), f: &ein.Func{}}).newGridWalk()
	strided := func(bytes float64) (list []float64) {
		for l := range 32 {
			list = append(list, float64(l)*bytes)
		}
		return list
	}
	for _, test := range []struct {
		name           string
		between, bytes float64
		want           float64
	}{
		{"neighbours", 4, 4, 1}, {"one word", 0, 4, 1}, {"every second word", 8, 4, 2}, {"a column of 32 words", 128, 4, 32}, {"a column of 33 words", 132, 4, 1},
		{"neighbours of 8 bytes", 8, 8, 2}, {"neighbours of 16 bytes", 16, 16, 4}, {"halves of words", 2, 2, 1}, {"one place of 16 bytes", 0, 16, 1}, {"a column of 34 words", 136, 4, 2},
	} {
		if got := g.inBanks(strided(test.between), test.bytes); got != test.want {
			t.Errorf("%s: %g cycles, expected %g", test.name, got, test.want)
		}
	}
}

// TestTiles: what is staged in local memory is moved less often, and with tiles in registers less still.
func TestTiles(t *testing.T) {
	p := gridMachine(t)
	plain, staged, tiled := ofGrid(t, p, productFunction, plainProduct), ofGrid(t, p, productFunction, stagedProduct), ofGrid(t, p, productFunction, tiledProduct)
	moved := func(r *Report) float64 { return r.Parts[0].Traffic[0].Bytes }
	// A group of 16 × 16 results reads 2 · 16 · 512 values, one of 64 × 64 reads 2 · 64 · 512; each result is written once.
	if want := 4.0 * (32*32*2*16*512 + 512*512); math.Abs(moved(staged)-want) > 1 {
		t.Errorf("%g bytes between the cache and the cores, expected %g", moved(staged), want)
	}
	if want := 4.0 * (8*8*2*64*512 + 512*512); math.Abs(moved(tiled)-want) > 0.2*want {
		t.Errorf("%g bytes between the cache and the cores with tiles in registers, expected about %g", moved(tiled), want)
	}
	if !(component(staged, 0, transactions) < component(plain, 0, transactions)/4) {
		t.Errorf("staged %g s of transactions, without %g", component(staged, 0, transactions), component(plain, 0, transactions))
	}
	if !(tiled.Seconds < staged.Seconds) {
		t.Errorf("tiles in registers take %g s, without %g s", tiled.Seconds, staged.Seconds)
	}
	if l := tiled.Parts[0].Launch; l.Local != 2*64*16*4 || l.Items != 256 || l.Groups != 64 {
		t.Errorf("a group has %+v", l)
	}
	for r, want := range map[*Report]string{plain: "items", tiled: "no more groups"} {
		if l := r.Parts[0].Launch; l.Limit != want {
			t.Errorf("%d groups at the same time: %s, expected %s", l.Together, l.Limit, want)
		}
	}
}

// TestOccupancy: how many groups a core has follows from what there is least of.
func TestOccupancy(t *testing.T) {
	p := gridMachine(t)
	for _, test := range []struct {
		name  string
		p     *machine.Processor
		limit string
		n     int64
	}{
		{"items", p.WithValue(machine.ResidentItems, 1024), "items", 4},
		{"a sub-group counts whole", p.WithValue(machine.ResidentItems, 1000), "items", 3},
		{"groups", p.WithValue(machine.ResidentGroups, 2), "groups", 2},
		{"registers", p.WithValue(machine.RegisterFile, 3*256*24*4), "registers", 3},
		{"cores", p.WithValue(machine.GroupCores, 4096), "no more groups", 1},
	} {
		r := ofGrid(t, test.p, copyFunction, "domain S0[i, j]\nband S0.i groups | S0.j tile 256 groups\n  band S0.j items 256\n")
		if l := r.Parts[0].Launch; l.Limit != test.limit || l.Together != test.n {
			t.Errorf("%s: %d groups at the same time, by %s (%d registers)", test.name, l.Together, l.Limit, l.Registers)
		}
	}
	r := ofGrid(t, p.WithValue(machine.LocalInCore, 48<<10), productFunction, strings.ReplaceAll(tiledProduct, "k tile 16", "k tile 32"))
	if l := r.Parts[0].Launch; l.Limit != "no more groups" && l.Limit != "local memory" || l.Local != 2*64*32*4 {
		t.Errorf("%+v", l)
	}
}

// TestTails: one group more than there are cores takes as long as two for each.
func TestTails(t *testing.T) {
	p := gridMachine(t).WithValue(machine.GroupCores, 32)
	of := func(rows string) float64 {
		f := strings.ReplaceAll(copyFunction, "i in 0:1024", "i in 0:"+rows)
		return component(ofGrid(t, p, f, "domain S0[i, j]\nband S0.i groups\n  band S0.j items 256\n"), 0, issuing)
	}
	if one, more, two := of("32"), of("33"), of("64"); more != two || two != 2*one {
		t.Errorf("%g s for 32 groups, %g for 33, %g for 64", one, more, two)
	}
}

// TestLaunches: every launch of the host costs, and a statement in no group is one of a single item.
func TestLaunches(t *testing.T) {
	p := gridMachine(t)
	once := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.i groups\n  band S0.j items 256\n")
	often := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.i\n  band S0.j groups\n")
	if a, b := component(once, 0, launching), component(often, 0, launching); math.Abs(b-1024*a) > 1e-12 {
		t.Errorf("%g s for one launch, %g s for 1024", a, b)
	}
	alone := ofGrid(t, p, copyFunction, "domain S0[i, j]\nband S0.i | S0.j\n")
	if l := alone.Parts[0].Launch; l.Groups != 1 || l.Items != 1 || !(alone.Seconds > 100*once.Seconds) {
		t.Errorf("one item takes %g s, %+v", alone.Seconds, l)
	}
}

// TestCopiedAhead: several blocks take as many times the local memory and spare a barrier; copies that run ahead hide what they wait for, on machines that have them, and
// the more of them the further ahead they run.
func TestCopiedAhead(t *testing.T) {
	p := gridMachine(t)
	has := p.WithValue(machine.ItemAhead, 16)
	of := func(p *machine.Processor, marks string) (local, waits float64) {
		text := strings.ReplaceAll(strings.ReplaceAll(heldProduct, "A local", "A local"+marks), "B local", "B local"+marks)
		for _, part := range ofGrid(t, p, productFunction, text).Parts {
			for _, c := range part.Components {
				if c.Name == waiting {
					waits += c.Seconds * float64(part.Launch.Together)
				}
			}
			local += float64(part.Launch.Local)
		}
		return local, waits
	}
	one, plain := of(has, "")
	two, double := of(has, " double")
	_, async := of(has, " double async")
	three, further := of(has, " stages 3 async")
	_, without := of(p, " double async")
	if two != 2*one || three != 3*one {
		t.Errorf("one block takes %g bytes, two %g, three %g", one, two, three)
	}
	if !(double < plain && async < double && further <= async) || without != double {
		t.Errorf("waiting: %g, with two blocks %g, ahead %g, further ahead %g; where there are no such copies %g", plain, double, async, further, without)
	}
}

// TestSwizzles: rows of which the units are exchanged take no more local memory than they have to; where columns are written less meets in banks than without, and
// no more than in rows that are longer; and addresses take instructions.
func TestSwizzles(t *testing.T) {
	p := gridMachine(t)
	of := func(marks string) (local int64, meets, issued float64) {
		r := ofGrid(t, p, productFunction, strings.ReplaceAll(heldProduct, "A local", "A local layout 2 1"+marks))
		return r.Parts[0].Launch.Local, r.Parts[0].Launch.Conflicts, component(r, 0, issuing)
	}
	plain, meets, issued := of(" vector 4")
	padded, padMeets, padIssued := of(" pad 4 vector 4")
	swizzled, less, more := of(" swizzle 4*8/2 vector 4")
	if swizzled != plain || padded <= plain {
		t.Errorf("a group has %d bytes, padded %d, swizzled %d", plain, padded, swizzled)
	}
	if !(less < meets && less <= padMeets) {
		t.Errorf("%g cycles of banks, padded %g, swizzled %g", meets, padMeets, less)
	}
	if !(more > issued && padIssued == issued) {
		t.Errorf("%g s of instructions, padded %g, swizzled %g", issued, padIssued, more)
	}
}

// TestStripsOfGroups: groups that come in strips move less from memory where the last cache has no room for what all read, and
// what they ask the cache for is the same.
func TestStripsOfGroups(t *testing.T) {
	p := gridMachine(t).WithValue(machine.LastCache, 8<<20)
	function := strings.ReplaceAll(productFunction, "512", "4096")
	of := func(marks string) []Traffic {
		return ofGrid(t, p, function, strings.ReplaceAll(heldProduct, "S0.i tile 64 groups", "S0.i tile 64 groups"+marks)).Parts[0].Traffic
	}
	usual, rows, columns := of(""), of(" strips 8"), of(" strips 64")
	if rows[0].Bytes != usual[0].Bytes {
		t.Errorf("%g bytes between the cache and the cores, in strips %g", usual[0].Bytes, rows[0].Bytes)
	}
	if !(rows[1].Bytes < 0.9*usual[1].Bytes && rows[1].Bytes < 0.9*columns[1].Bytes) {
		t.Errorf("%g bytes from memory, in strips %g, column by column %g", usual[1].Bytes, rows[1].Bytes, columns[1].Bytes)
	}
}

// TestGridDirections: on a machine that has more of something, nothing takes longer; and each quantity makes something faster.
func TestGridDirections(t *testing.T) {
	programs := [][2]string{
		{copyFunction, "domain S0[i, j]\nband S0.i groups | S0.j tile 256 groups\n  band S0.j items 256\n"},
		{transposeFunction, "domain S0[i, j]\nband S0.i tile 32 groups | S0.j tile 32 groups\n  band S0.i items 8 | S0.j items 32\n"},
		{productFunction, plainProduct}, {productFunction, stagedProduct}, {productFunction, tiledProduct},
		{strings.ReplaceAll(productFunction, "float32", "float64"), plainProduct},
		{strings.ReplaceAll(productFunction, "float32", "int32"), tiledProduct}, {strings.ReplaceAll(productFunction, "float32", "int64"), tiledProduct},
		{strings.NewReplacer("out C: float32", "out C: float64", "= A[i, k] * B[k, j]", "= float64(A[i, k]) * float64(B[k, j])").Replace(productFunction), plainProduct},
		{strings.ReplaceAll(copyFunction, "= A[i, j]", "= exp(A[i, j]) / 3f32"), "domain S0[i, j]\nband S0.i groups\n  band S0.j items 256\n"},
		{strings.ReplaceAll(productFunction, "512", "64"), "domain S0[i, j, k]\nband S0.i groups | S0.j groups\n  accumulate S0 local\n    band S0.k items 64\n"},
	}
	p := gridMachine(t)
	for _, test := range []struct {
		name   string
		q      machine.Quantity
		factor float64 // by which there is more, or it takes less
	}{
		{"all-groups", machine.GroupsBytes, 2}, {"device latency", machine.DeviceLatency, 0.5}, {"cache", machine.LastCache, 4},
		{"cached", machine.LastCached, 2}, {"banks", machine.Banks, 2}, {"local latency", machine.LocalLatency, 0.5},
		{"clock", machine.GroupClock, 2}, {"launch", machine.Launch, 0.5}, {"issue", machine.Issue, 2},
		{"transactions", machine.Transactions, 2}, {"barrier", machine.Barrier, 0.5}, {"lanes", machine.ItemLanes, 2},
		{"double", machine.ItemDouble, 0.5}, {"divide", machine.ItemDivide, 0.5},
		{"integer", machine.ItemInteger, 0.5}, {"long", machine.ItemLong, 0.5}, {"convert", machine.ItemConvert, 0.5}, {"call", machine.ItemCall, 0.5},
		{"in-flight", machine.InFlight, 2}, {"item latency", machine.ItemLatency, 0.5}, {"cores", machine.GroupCores, 2},
		{"near cache", machine.NearCache, 4},
	} {
		gains := false
		more := p.WithValue(test.q, p.Value(test.q)*test.factor)
		for k, program := range programs {
			before, after := ofGrid(t, p, program[0], program[1]), ofGrid(t, more, program[0], program[1])
			if after.Seconds > before.Seconds*(1+1e-12) {
				t.Errorf("%s times %g: program %d takes %g instead of %g s", test.name, test.factor, k, after.Seconds, before.Seconds)
			}
			gains = gains || after.Seconds < before.Seconds
		}
		if !gains {
			t.Errorf("%s times %g makes nothing faster", test.name, test.factor)
		}
	}
}

// TestRates: the arithmetic of a type takes as many times that of float32 as the machine says; the least time of a function knows them, too.
func TestRates(t *testing.T) {
	p := gridMachine(t)
	plain := ofGrid(t, p, productFunction, plainProduct)
	for dtype, q := range map[string]machine.Quantity{"float64": machine.ItemDouble, "int32": machine.ItemInteger, "uint8": machine.ItemInteger, "int64": machine.ItemLong} {
		r := ofGrid(t, p, strings.ReplaceAll(productFunction, "float32", dtype), plainProduct)
		for name, rate := range map[string]float64{"arithmetic": component(r, 0, "arithmetic") / component(plain, 0, "arithmetic"), "floor": r.Floor.Compute / plain.Floor.Compute} {
			if want := p.Value(q); rate < want*0.99 || rate > want*1.01 {
				t.Errorf("%s of %s takes %g times that of float32, expected %g", name, dtype, rate, want)
			}
		}
	}
	halves := ofGrid(t, p, strings.NewReplacer("A: float32", "A: float16", "= A[i, k]", "= float32(A[i, k])").Replace(productFunction), plainProduct)
	if before, after := component(plain, 0, "arithmetic"), component(halves, 0, "arithmetic"); before != after {
		t.Errorf("with an operand of float16 arithmetic takes %g s, and %g s of float32", after, before)
	}
}

// TestTables: items whose rows an index array chooses are somewhere else, those of one row are side by side; rows that are gathered wait for one index,
// not each for its own, and are tested once.
func TestTables(t *testing.T) {
	const lookups = "func f {\n  in T: float32[100000, 64]\n  in I: int32[128, 50]\n  out O: float32[128, 64]\n  for b in 0:128, d in 0:64, l in 0:50 reduce + { O[b, d] = T![int64(I[b, l]), d] }\n}"
	const plain = "domain S0[b, d, l]\nband S0.b groups\n  band S0.d items 64\n    accumulate S0 register\n      band S0.l\n"
	p := gridMachine(t)
	direct := ofGrid(t, p, lookups, plain)
	gathered := ofGrid(t, p, lookups, strings.Replace(plain, "  band S0.d items 64\n    accumulate S0 register\n      band S0.l\n", "  place I local\n    accumulate S0 register\n      place T local gathered vector 4\n        band S0.d items 64\n          band S0.l\n", 1))
	across := ofGrid(t, p, lookups, strings.Replace(plain, "S0.b groups\n  band S0.d items 64", "S0.b tile 64 groups | S0.d groups\n  band S0.b items 64", 1))
	if w := direct.Parts[0].Launch.Wanted["T"]; w != 1 {
		t.Errorf("items side by side want %g of what is moved of T", w)
	}
	if w := across.Parts[0].Launch.Wanted["T"]; w > 0.2 {
		t.Errorf("items of different rows want %g of what is moved of T", w)
	}
	if wait, without := component(gathered, 0, waiting), component(direct, 0, waiting); !(wait < without/4) {
		t.Errorf("with gathered rows %g s of waiting, without %g", wait, without)
	}
	if l := gathered.Parts[0].Launch; l.Local != 50*64*4+50*4 {
		t.Errorf("a group has %d bytes of local memory", l.Local)
	}
	untested := ofGrid(t, p, strings.Replace(lookups, "T![int64(I[b, l])", "T[max({0}, min({99999}, int64(I[b, l])))", 1), plain)
	if !(component(untested, 0, waiting) < component(direct, 0, waiting)/2) {
		t.Errorf("with tests %g s of waiting, without %g", component(direct, 0, waiting), component(untested, 0, waiting))
	}
}

// TestTablesInTurn: two tables that lead to each other, in two reads, are waited for a limited time.
func TestTablesInTurn(t *testing.T) {
	const function = "func f {\n  in X: int64[64]\n  in Y: int64[64]\n  out O: int64[64]\n  for i in 0:64 { O[i] = READS }\n}"
	const tree = "domain S0[i]\nband S0.i tile 32 groups\n  band S0.i items 32\n"
	wait := func(reads string) float64 {
		return component(ofGrid(t, gridMachine(t), strings.Replace(function, "READS", reads, 1), tree), 0, waiting)
	}
	if one, both := wait("X![Y[i]]"), wait("X![Y[i]] + Y![X[i]]"); !(one < both && both <= 3*one) {
		t.Errorf("one table is waited for %g s, two that lead to each other %g", one, both)
	}
}

// TestHeldBetween: what statements leave for each other in registers moves nothing, but that which somebody else knows is stored, once.
func TestHeldBetween(t *testing.T) {
	const layer = "func f {\n  in A: float32[512, 64]\n  in B: float32[64, 512]\n  ROLE C: float32[512, 512]\n  out D: float32[512, 512]\n  for i in 0:512, j in 0:512, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] }\n  for i in 0:512, j in 0:512 { D[i, j] = max(C[i, j], 0f32) }\n}"
	const apart = "domain S0[i, j, k]; S1[i, j]\nband S0.i S1.i tile 64 groups | S0.j S1.j tile 64 groups\n  sequence\n    filter S0\n      accumulate S0 register\n        band S0.k\n          band S0.i tile 4 items 16 | S0.j tile 4 items 16\n            band S0.i unroll | S0.j unroll\n    filter S1\n      band S1.i tile 4 items 16 | S1.j tile 4 items 16\n        band S1.i unroll | S1.j unroll\n"
	held := strings.Replace(strings.ReplaceAll(apart, "\n    ", "\n      "), "  sequence", "  place C register\n    sequence", 1)
	p := gridMachine(t)
	const bytes = 4 * 512 * 512
	for role, want := range map[string]float64{"temp": 0, "out": bytes} {
		f := strings.Replace(layer, "ROLE", role, 1)
		without, with := ofGrid(t, p, f, apart), ofGrid(t, p, f, held)
		if moved := with.Parts[0].Traffic[0].Tensors["C"]; moved != want {
			t.Errorf("%s: %g bytes of what items hold are moved, expected %g", role, moved, want)
		}
		if !(with.Seconds < without.Seconds) {
			t.Errorf("%s: %g s where items hold C, otherwise %g", role, with.Seconds, without.Seconds)
		}
	}
}
