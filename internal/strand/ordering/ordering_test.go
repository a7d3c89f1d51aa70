package ordering_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/tensor"
)

// TestText: an order is what its text says.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := 1 << rapid.IntRange(0, 6).Draw(t, "lanes")
		o := ordering.Order{Lanes: lanes, Block: lanes * rapid.IntRange(1, 100).Draw(t, "packets"), Taps: rapid.Bool().Draw(t, "taps")}
		got, err := ordering.Parse(source.NewFile("order", o.Text()))
		if err != nil || got != o {
			t.Fatalf("%v, %v from\n%s", got, err, o.Text())
		}
	})
}

// TestUnsaid: what a text does not say is chosen, and blocks are of whole packets.
func TestUnsaid(t *testing.T) {
	base := ordering.Default(64, tensor.Float32)
	for text, want := range map[string]ordering.Order{
		"":                        {Block: 64, Lanes: 16},
		"# nothing\n\n":           {Block: 64, Lanes: 16},
		"windows taps":            {Block: 64, Lanes: 16, Taps: true},
		"blocks 70":               {Block: 80, Lanes: 16},
		"packets 4\nblocks 12 #x": {Block: 12, Lanes: 4},
	} {
		o, err := ordering.Parse(source.NewFile("order", text))
		if got := o.Over(base); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got := ordering.Default(64, tensor.Float64); got.Lanes != 8 {
		t.Errorf("%v for vectors of 64 bytes", got)
	}
}

// TestWrong: errors say what was expected.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"packet 4":                "did you mean packets?",
		"blocks":                  "expected a number behind blocks, found nothing",
		"blocks -1":               "expected a number behind blocks, found -1",
		"blocks 99999999999":      "expected a number behind blocks",
		"packets 12":              "expected 1, 2, 4, 8, 16, 32 or 64 behind packets, found 12",
		"packets 8 8":             "found 8 8",
		"windows columns":         "expected rows or taps behind windows, found columns",
		"blocks 8\nblocks 16":     "blocks is said twice",
		"packets 16\nblocks 24":   "write blocks 32",
		"windows rows\ntiles 4 4": `has no "tiles"`,
	} {
		_, err := ordering.Parse(source.NewFile("order", text))
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		list := err.(source.ErrorList)
		if d := list[0]; !strings.Contains(d.Message+" "+d.Help, want) || !d.Span.IsValid() {
			t.Errorf("%q: %s; %s, at %v", text, d.Message, d.Help, d.Span)
		}
	}
}
