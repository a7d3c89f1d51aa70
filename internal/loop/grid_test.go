package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestGrids runs programs with grids, right and wrong ones: what the verifier says of each, and the evaluator, who has to say
// the same in all orders of groups and items.
func TestGrids(t *testing.T) {
	goldentest.Run(t, "testdata/grids/*.txtar", "report", 1, func(t *testing.T, inputs []string) string {
		f, err := loop.Parse(source.NewFile("program", inputs[0]))
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(f); text != inputs[0] {
			t.Errorf("the program prints as\n%s", text)
		}
		report := "verify: fine\n"
		if err := loop.Verify(f); err != nil {
			report = "verify: " + brief(err)
		}
		first := evaluated(f, 0)
		for seed := range uint64(5) {
			again := evaluated(f, seed+1)
			if failed := strings.HasPrefix(first, "error"); failed != strings.HasPrefix(again, "error") || !failed && first != again {
				t.Errorf("in another order:\n%s\nand\n%s", first, again)
			}
		}
		return report + first
	})
}

// brief leaves out what every internal error says.
func brief(err error) string {
	var internal *source.InternalError
	if !errors.As(err, &internal) {
		return err.Error() + "\n"
	}
	return internal.Err.Error() + "\n"
}

// evaluated runs a program on numbers, and tells what came of it.
func evaluated(f *loop.Func, seed uint64) string {
	args := make([]loop.Word, len(f.Params))
	for i, p := range f.Params {
		if p.Buffer == nil {
			args[i].Value = 13
			continue
		}
		args[i].Bytes = make([]byte, p.Buffer.Bytes())
		for k := range p.Buffer.Length {
			v := uint32(k*7%13 + int64(i))
			if p.Buffer.Type.Elem.IsFloat() {
				v = math.Float32bits(float32(v))
			}
			copy(args[i].Bytes[4*k:], []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
		}
	}
	fault, err := loop.EvaluateInOrder(context.Background(), f, args, nil, seed)
	if err != nil {
		return "error: " + brief(err)
	}
	text := ""
	if fault != nil {
		text = fmt.Sprintf("fault at site %d: %d\n", fault.Site, fault.Value)
	}
	for i, p := range f.Params {
		if p.Buffer != nil && !p.Buffer.ReadOnly {
			text += p.Buffer.Name + " ="
			for k := 0; k < len(args[i].Bytes); k += 4 {
				b := args[i].Bytes[k:]
				v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
				if p.Buffer.Type.Elem == tensor.Float32 {
					text += fmt.Sprint(" ", math.Float32frombits(v))
				} else {
					text += fmt.Sprint(" ", int32(v))
				}
			}
			text += "\n"
		}
	}
	return text
}
