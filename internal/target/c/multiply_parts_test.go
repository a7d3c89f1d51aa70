package c

import (
	bits "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestMultiplyFloat32 multiplies float32 of all magnitudes, with infinities and NaN among them, by
// parts and by vectors, and tests the bound that sums of float32 in any order keep.
func TestMultiplyFloat32(t *testing.T) {
	variants := [][]string{{"-march=native"}}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, []string{"-march=native"}, []string{"-march=x86-64"})
	}
	r := rand.New(rand.NewPCG(13, 17))
	var list []*loop.Func
	for n := range sweep.Draws(t, 10, 100) {
		list = append(list, float32Program(t, r, n))
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t) {
		for n, flags := range variants {
			printed := text
			if n == 1 {
				printed = strings.ReplaceAll(text, hasTiles, "0")
			}
			lib := build(t, compiler, printed, flags...)
			for _, f := range list {
				for range 4 {
					checkFloat32(t, r, lib, f)
				}
			}
		}
	}
}

// float32Program has a product of float32 of a random size, whose operands lie along any of their
// indices, or along none, with perhaps further sums, some of them of more than any tensor has dimensions, and room
// for some columns at once.
func float32Program(t *testing.T, r *rand.Rand, number int) *loop.Func {
	t.Helper()
	rows, cols, depth := 1+r.IntN(70), 1+r.IntN(70), 1+r.IntN(200)
	further, most, yFirst := r.IntN(3), 3, 2
	if number%8 == 7 {
		rows, cols, depth, further, most = 1+r.IntN(20), 1+r.IntN(20), 1+r.IntN(40), 20+r.IntN(20), 1
	} else if r.IntN(3) == 0 {
		rows, cols, depth = rows&^31+32, cols&^31+32, depth&^31+32
	}
	lies := func(lines int) (line, member, all int) {
		gap := 1 + r.IntN(4)/3
		if r.IntN(2) == 0 {
			line, member = gap*depth+r.IntN(3), gap
		} else {
			line, member = gap, gap*lines+r.IntN(3)
		}
		return line, member, (lines-1)*line + (depth-1)*member + 1
	}
	xs, xk, xAll := lies(rows)
	yc, yk, yAll := lies(cols)
	z, sums, runs, zAll := cols+r.IntN(9), "", "", rows*(cols+8)
	for n := range r.IntN(4) {
		count, apart := 1+r.IntN(4), r.IntN(2*yAll)
		if n == 0 && r.IntN(3) > 0 { // rows of an image
			apart = (cols + r.IntN(cols)) * yc
		}
		runs = fmt.Sprintf(" run %d by %d, %d", count, apart, zAll) + runs
		yAll, zAll = yAll+(count-1)*apart, count*zAll
	}
	for range further {
		if n := 1 + r.IntN(most); runs != "" && r.IntN(4) > 0 { // shifts
			apart := (r.IntN(2*cols) - cols/2) * yc
			sums += fmt.Sprintf("; %d by %d, %d", n, xAll, apart)
			if xAll, yAll = n*xAll, yAll+(n-1)*max(apart, -apart); apart < 0 {
				yFirst += (n - 1) * -apart
			}
			continue
		}
		n := 1 + r.IntN(most)
		sums += fmt.Sprintf("; %d by %d, %d", n, xAll, yAll)
		xAll, yAll = n*xAll, n*yAll
	}
	room := ein.PartsRoom(ein.Blocking{}, ein.PartsRoomBytes, int64(rows), int64(1+r.IntN(cols)), int64(1+r.IntN(depth)), int64(1+r.IntN(3)))
	if runs != "" {
		room += int64(r.IntN(1 << 19))
	}
	if number%8 == 3 { // there are none
		*[]*int{&rows, &cols, &depth}[number/8%3] = 0
	}
	text := fmt.Sprintf(`
kernel "parts%d" workspace 0 {
	buffer X float32[%d] argument readonly
	buffer Y float32[%d] argument readonly
	buffer Z float32[%d] argument
	buffer room bfloat16[%d] private
	params X, Y, Z
	alloc room {
		multiply Z[3 by %d] %s= X[1 by %d step %d], Y[%d by %d step %d], %d, %d, %d in room%s%s
	}
}`, number, xAll+1, yAll+2, zAll+3, room, z, []string{"", "+"}[r.IntN(2)], xs, xk, yFirst, yk, yc, rows, cols, depth, runs, sums)
	f, err := loop.Parse(source.NewFile("parts", text))
	if err == nil {
		err = loop.Verify(f)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again, err := loop.Parse(source.NewFile("printed", loop.Print(f))); err != nil || loop.Print(again) != loop.Print(f) {
		t.Fatalf("%v: printed:\n%s", err, loop.Print(f))
	}
	return f
}

// checkFloat32 compares a product with the one of float64: an error is at most a rounding of each product
// and sum to a float32.
func checkFloat32(t *testing.T, r *rand.Rand, lib library, f *loop.Func) {
	t.Helper()
	args := randomArguments(r, f)
	for k := range 2 {
		drawFloat32(r, args[k].Bytes)
	}
	drawFloat32(r, args[2].Bytes)
	before := cloneArguments(args)
	lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
	s := f.Body[0].(*loop.Alloc).Body[0].(*loop.Multiply)
	number := func(e loop.Expr) int { n, _ := constantOf(e); return int(n) }
	float := func(k, at int) float64 {
		return float64(math.Float32frombits(bits.LittleEndian.Uint32(before[k].Bytes[4*at:])))
	}
	eachColumn(s, func(yRun, zRun int) {
		for row := range number(s.Rows) {
			at := number(s.At) + row*number(s.Stride) + zRun
			exact, magnitude, finite, terms := 0.0, 0.0, 0.0, 1.0
			if s.Add {
				exact, magnitude = float(2, at), math.Abs(float(2, at))
			}
			eachMember(s, func(x, y int) {
				product := float(0, number(s.XAt)+row*number(s.XStride)+x) * float(1, number(s.YAt)+yRun+y)
				exact, magnitude, terms = exact+product, magnitude+math.Abs(product), terms+1
				if !math.IsInf(product, 0) {
					finite += math.Abs(product)
				}
			})
			got := float64(math.Float32frombits(bits.LittleEndian.Uint32(args[2].Bytes[4*at:])))
			bound := (terms+8)*magnitude*0x1p-24 + terms*0x1p-149
			switch {
			case math.IsInf(exact, 0) && finite >= 0x1p126: // float32 may have the other infinity, too
			case math.IsNaN(exact) || math.IsInf(exact, 0):
				if math.IsNaN(got) != math.IsNaN(exact) || math.IsInf(exact, 0) && got != exact {
					t.Fatalf("row %d, column at %d is %g, not %g\n%s", row, zRun, got, exact, loop.Print(f))
				}
			case magnitude < 0x1p126 && !(math.Abs(got-exact) <= bound):
				t.Fatalf("row %d, column at %d is %g, not %g within %g\n%s", row, zRun, got, exact, bound, loop.Print(f))
			}
		}
	})
}

// eachColumn visits the offsets in Y and Z of all columns.
func eachColumn(s *loop.Multiply, visit func(y, z int)) {
	number := func(e loop.Expr) int { n, _ := constantOf(e); return int(n) }
	var within func(runs []loop.Run, y, z int)
	within = func(runs []loop.Run, y, z int) {
		if len(runs) > 0 {
			for n := range number(runs[0].Count) {
				within(runs[1:], y+n*number(runs[0].Y), z+n*number(runs[0].Z))
			}
			return
		}
		for c := range number(s.Cols) {
			visit(y+c*number(s.YStep), z+c)
		}
	}
	within(s.Runs, 0, 0)
}

// eachMember visits the offsets in X and Y of all members of a sum of constant sizes.
func eachMember(s *loop.Multiply, visit func(x, y int)) {
	number := func(e loop.Expr) int { n, _ := constantOf(e); return int(n) }
	var within func(sums []loop.Sum, x, y int)
	within = func(sums []loop.Sum, x, y int) {
		if len(sums) > 0 {
			for n := range number(sums[0].Count) {
				within(sums[1:], x+n*number(sums[0].X), y+n*number(sums[0].Y))
			}
			return
		}
		for k := range number(s.Depth) {
			visit(x+k*number(s.XStep), y+k*number(s.YStride))
		}
	}
	within(s.Sums, 0, 0)
}

// drawFloat32 draws numbers of one of several distributions: near 1, of which many are 0, in the whole range of
// magnitudes for whose products parts lose nothing, in one of all exponents, and with some infinities, NaN
// and the greatest and smallest numbers among others.
func drawFloat32(r *rand.Rand, data []byte) {
	kind := r.IntN(6)
	for i := 0; i+3 < len(data); i += 4 {
		x := float32(r.NormFloat64())
		switch {
		case kind == 1 && r.IntN(3) > 0:
			x = 0
		case kind == 2:
			x = float32(math.Ldexp(float64(x), r.IntN(90)-45))
		case kind == 3:
			x = math.Float32frombits(uint32(r.IntN(2)<<31 | r.IntN(190)<<23 | r.IntN(1<<23)))
		case kind == 4 && r.IntN(len(data)/4+1) < 2:
			x = []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -0x1p-126}[r.IntN(7)]
		case kind == 5:
			x = float32(math.Ldexp(float64(x), -60))
		}
		bits.LittleEndian.PutUint32(data[i:], math.Float32bits(x))
	}
}
