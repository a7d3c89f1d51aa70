package main

import (
	"math"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		sorted  []float64
		q, want float64
	}{
		{[]float64{3}, 0.9, 3},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2, 10}, 0.5, 2},
		{[]float64{0, 10}, 0.1, 1},
		{[]float64{0, 10}, 1, 10},
	} {
		if got := quantile(test.sorted, test.q); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("quantile(%v, %v) = %v, expected %v", test.sorted, test.q, got, test.want)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "0.5d": 12 * time.Hour, "12h": 12 * time.Hour, "0": 0} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("parseAge(%q) = %v, %v, expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1d", "-1h", "d", "1w", "nand", "infd", "1e9d"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("parseAge(%q) = %v, expected an error", text, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"500MB": 500e6, "2gb": 2e9, "1.5KB": 1500, "64MiB": 64 << 20, "7 B": 7, "7": 7} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("parseBytes(%q) = %v, %v, expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1MB", "MB", "many", "nan", "inf", "1e30GB"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("parseBytes(%q) = %v, expected an error", text, got)
		}
	}
}
