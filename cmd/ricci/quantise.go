package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// An interval is the numbers that become black and white, and what lies between.
type interval struct{ low, high float64 }

// parseInterval reads LOW,HIGH.
func parseInterval(flag, text string) (*interval, error) {
	first, second, _ := strings.Cut(text, ",")
	low, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	high, other := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if err != nil || other != nil || !(math.Abs(low) <= math.MaxFloat64 && math.Abs(high) <= math.MaxFloat64) || low == high {
		return nil, usagef("%s %s: expected two different numbers, such as 0,1", flag, text)
	}
	return &interval{low, high}, nil
}

// intervalOf is the least interval with all finite numbers of a tensor.
func intervalOf(t *tensor.Tensor) *interval {
	r := &interval{math.Inf(1), math.Inf(-1)}
	for offset := range t.Offsets() {
		if v := t.FloatAt(offset); !math.IsNaN(v) && !math.IsInf(v, 0) {
			r.low, r.high = min(r.low, v), max(r.high, v)
		}
	}
	if r.low > r.high {
		return &interval{0, 1}
	}
	return r
}

// quantise maps the interval to the numbers of an unsigned type, each of which has an equal part of it,
// as unu quantize does; what lies outside is cut, NaN is 0.
func quantise(t *tensor.Tensor, r *interval, to tensor.DType) (*tensor.Tensor, error) {
	q, err := tensor.New(to, t.Shape()...)
	if err != nil {
		return nil, err
	}
	levels := math.Ldexp(1, 8*to.Size())
	at := 0
	for offset := range t.Offsets() {
		level := math.Floor((t.FloatAt(offset) - r.low) / (r.high - r.low) * levels)
		if !math.IsNaN(level) {
			q.SetUintAt(at, uint64(max(0, min(level, levels-1))))
		}
		at++
	}
	return q, nil
}

// isPicture reports whether a path is that of a format of pictures.
func isPicture(path string) bool { return strings.EqualFold(filepath.Ext(path), ".png") }

// isSamples reports whether an array has the elements of pictures.
func isSamples(a *tensor.Tensor) bool {
	return a.DType() == tensor.Uint8 || a.DType() == tensor.Uint16
}

// quantised is quantise by an interval, or by that of the array itself, which is said.
func (t *terminal) quantised(name string, a *tensor.Tensor, r *interval, to tensor.DType) (*tensor.Tensor, error) {
	if r == nil {
		r = intervalOf(a)
		t.notice("%s: %s is black, %s is white; --range says it otherwise", name, shortest(a, r.low), shortest(a, r.high))
	}
	return quantise(a, r, to)
}

// shortest writes a number in as few digits as the elements of an array need.
func shortest(a *tensor.Tensor, v float64) string {
	if a.DType() == tensor.Float64 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}
