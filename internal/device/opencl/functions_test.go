package opencl

import (
	"context"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/c"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
	"github.com/ricci-lang/ricci/tensor"
)

// quickFunctions are those that are always tried: series, pairs, bodies that call themselves, the language's own.
var quickFunctions = []string{"sin", "tanh", "pow", "erfcinv", "fmin"}

// TestFunctions: with strict numerics functions have the bits that they have on the processor; else they are within their table.
func TestFunctions(t *testing.T) {
	d := opened(t)
	var list []*ein.Builtin
	for _, b := range ein.Builtins() {
		if quick := strings.Contains(" "+strings.Join(quickFunctions, " ")+" ", " "+b.Name+" "); quick || sweep.Long(t) {
			list = append(list, b)
		}
	}
	for _, typ := range []tensor.DType{tensor.Float32, tensor.Float64} {
		f, err := devicetest.Calls(list, typ, false)
		if err != nil {
			t.Fatal(err)
		}
		words := devicetest.FunctionArguments(f, typ)
		onHost := runC(t, f, devicetest.Clone(words))
		for _, mode := range []numerics.Mode{numerics.Strict, numerics.Default} {
			m, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: mode})
			if err != nil {
				t.Fatal(err)
			}
			got := devicetest.Clone(words)
			if _, err := run(t.Context(), d, f, m.Code, got); err != nil {
				t.Fatal(err)
			}
			for i, b := range list {
				result := got[len(devicetest.Operands)+i].Bytes
				if err := devicetest.Within(b, typ, words, result, mode); mode != numerics.Strict && err != nil {
					t.Error(err)
				}
				if err := devicetest.SameBits(b, typ, words, onHost[len(devicetest.Operands)+i].Bytes, result); mode == numerics.Strict && err != nil {
					t.Errorf("on the device and on the processor: %v", err)
				}
			}
		}
	}
}

// runC runs a program on the processor, with strict numerics; without a compiler the test is skipped.
func runC(t *testing.T, f *loop.Func, words []loop.Word) []loop.Word {
	t.Helper()
	text, err := c.Print(f, c.Options{Parallel: c.Serial, Numerics: numerics.Strict})
	if err != nil {
		t.Fatal(err)
	}
	list, err := host.Find(t.Context())
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	compiler := *list[0]
	compiler.Strict = true
	object, err := compiler.Compile(context.Background(), text, host.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := host.OpenBytes(object)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := library.Function(c.Symbol(f.Name))
	if err != nil {
		t.Fatal(err)
	}
	block := make([]int64, loop.HeaderWords)
	for i := range words {
		block = append(block, int64(looptest.Address(words[i].Bytes)))
	}
	entry.Call(&block[0])
	return words
}
