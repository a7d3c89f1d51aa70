package estimate

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestBlocks compares with counting.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 60).Draw(t, "n")
		var tiles []int64
		for last := n + 1; last > 1 && len(tiles) < 3; {
			last = rapid.Int64Range(1, last-1).Draw(t, "tile")
			tiles = append(tiles, last)
		}
		if len(tiles) == 0 {
			return
		}
		seen := map[[3]int64]bool{}
		for x := range n {
			var key [3]int64
			rest := x
			for k, tile := range tiles {
				key[k] = rest / tile
				rest %= tile
			}
			seen[key] = true
		}
		if got := blocks(n, tiles); got != float64(len(seen)) {
			t.Fatalf("%d points in tiles %v are %g blocks, want %d", n, tiles, got, len(seen))
		}
	})
}

// TestLines compares the lines of a region with those that its points touch, over
// all places of the region.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.Int64Range(4, 40).Draw(t, "rows"), rapid.Int64Range(4, 200).Draw(t, "columns")
		b := block{float64(rapid.Int64Range(1, min(8, rows)).Draw(t, "i")), float64(rapid.Int64Range(1, min(64, columns/2)).Draw(t, "j"))}
		step := float64(rapid.IntRange(1, 2).Draw(t, "step"))
		a := &access{bytes: 4, count: 1, dims: []dimension{
			{coefficients: []float64{1, 0}, extent: float64(rows), stride: float64(columns)},
			{coefficients: []float64{0, step}, extent: float64(columns), stride: 1},
		}}
		total, places := 0.0, 0.0
		for i := 0.0; i+b[0] <= float64(rows); i++ {
			for j := 0.0; j+step*(b[1]-1) < float64(columns); j++ {
				touched := map[float64]bool{}
				for x := range int(b[0]) {
					for y := range int(b[1]) {
						touched[math.Floor(((i+float64(x))*float64(columns)+j+step*float64(y))*4/64)] = true
					}
				}
				total, places = total+float64(len(touched)), places+1
			}
		}
		want := total / places
		// Strided points count as if they were neighbours: at most half of the lines.
		if got := a.lines(b, 64, false); got < want/2.2 || got > want*1.3+1 {
			t.Fatalf("a block of %v with step %g of %d × %d floats has %g lines, want %g", b, step, rows, columns, got, want)
		}
	})
}

// TestPressure: rows that lie a power of two apart compete, others do not.
func TestPressure(t *testing.T) {
	of := func(columns, rows, width float64) float64 {
		a := &access{bytes: 4, dims: []dimension{
			{coefficients: []float64{1, 0}, extent: 1024, stride: columns},
			{coefficients: []float64{0, 1}, extent: columns, stride: 1},
		}}
		return a.pressure(block{rows, width}, false, &machine.Processor{})
	}
	if p := of(1024, 256, 16); p < 8 {
		t.Errorf("256 rows a page apart have the pressure %g", p)
	}
	if p := of(1024, 4, 16); p != 1 {
		t.Errorf("four rows a page apart have the pressure %g", p)
	}
	if p := of(1040, 256, 16); p > 2 {
		t.Errorf("256 rows 4160 bytes apart have the pressure %g", p)
	}
}
