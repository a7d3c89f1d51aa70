package loop_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
)

// rapidSource lets a property test make the generator's choices.
type rapidSource struct{ t *rapid.T }

func (s rapidSource) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "choice") }

// TestRoundTrip: the text of a program reads back to a program with that text,
// which verifies.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := loop.Print(looptest.WithWhile(rapidSource{t}, "random"))
		f, err := loop.Parse(source.NewFile("text", text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(text, loop.Print(f)); diff != "" {
			t.Fatal(diff)
		}
		if err := loop.Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// TestVerifiedRuns: what verifies has no access out of bounds, whatever memory holds.
func TestVerifiedRuns(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := looptest.WithWhile(r, "random")
		if err := loop.Verify(f); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, loop.Print(f))
		}
		args := make([]loop.Word, len(f.Params))
		for i, p := range f.Params {
			if p.Buffer == nil {
				args[i].Value = int64(r.IntN(1000)) - 500
				continue
			}
			args[i].Bytes = make([]byte, int(p.Buffer.Length)*p.Buffer.Type.Elem.Size())
			for k := range args[i].Bytes {
				args[i].Bytes[k] = byte(r.Uint32())
			}
		}
		if _, err := loop.Evaluate(f, args); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, loop.Print(f))
		}
	}
}

// parse reads a program whose declarations are those of head.
func parse(t *testing.T, head, body string) *loop.Func {
	t.Helper()
	text := "kernel \"k\" workspace 256 {\n" + head + "\n" + body + "\n}"
	f, err := loop.Parse(source.NewFile("test", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

const testHead = `
	var N int64
	var M int64
	buffer A float32[100] argument readonly
	buffer B float32[100] argument
	buffer D float32[= N * M] argument
	buffer V float32[= N] argument
	buffer I int32[100] argument readonly
	buffer acc float32x8[6] register
	buffer W float32[64] workspace at 0
	params N "size N" nonnegative, M "size M", A, B, D, V, I
	site "A" 0 [0, 100) "A(i)"`

// TestVerifyAccepts has programs whose bounds need a proof.
func TestVerifyAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"affine":          `for i = 0 .. 10 step 1 { for j = 0 .. 10 step 1 { store B[i * 10 + j] = A[9 - i + 10 * j] } }`,
		"step":            `for i = 0 .. 96 step 8 { store B[i + 4] = fold(+, A[i; 8]) }`,
		"step and rest":   `for i = 0 .. 100 - 100 % 8 step 8 { store B[i] = A[i + 7] } for i.1 = 100 - 100 % 8 .. 100 step 1 { store B[i.1] = A[i.1] }`,
		"tile":            `for t = 0 .. 100 step 32 { for i = t .. min(t + 32, 100) step 1 { store B[i] = A[i] } }`,
		"tile by count":   `for t = 0 .. 4 step 1 { for i = 0 .. min(32, 100 - t * 32) step 1 { store B[t * 32 + i] = A[t * 32 + i] } }`,
		"mask":            `for i = 0 .. 100 step 8 { store B[i; mask ramp(i, 1, 8) < broadcast(100, 8)] = A[i; 8; mask ramp(i, 1, 8) < broadcast(100, 8)] }`,
		"mask in a let":   `for i = 0 .. 100 step 8 { let m boolx8 = ramp(i, 1, 8) < broadcast(100, 8) store B[i; mask m] = A[i; 8; mask m] }`,
		"fused":           `for f = 0 .. 100 step 1 { store B[f / 10 * 10 + f % 10] = A[f % 10 * 10 + f / 10] }`,
		"fused unevenly":  `for f = 0 .. 160 step 1 { store B[f / 16 * 9 + f % 16 / 2] = float32(1) }`,
		"padding":         `for i = 0 .. 98 step 1 { for k = 0 .. 5 step 1 { if i + k - 2 >= 0 && i + k - 2 < 100 { store B[i] = A[i + k - 2] } } }`,
		"not padding":     `for i = 0 .. 98 step 1 { for k = 0 .. 5 step 1 { if i + k - 2 < 0 || i + k - 2 >= 100 { } else { store B[i] = A[i + k - 2] } } }`,
		"select":          `for i = 0 .. 100 step 1 { store B[i] = select(i < 1, float32(0), A[i - 1]) }`,
		"clamp":           `for i = 0 .. 100 step 1 { store B[i] = A[max(0, min(i - 5, 99))] }`,
		"clamp by select": `for i = 0 .. 100 step 1 { let j int64 = select(i < 5, 0, i - 5) store B[i] = A[select(j > 90, 90, j)] }`,
		"mirror":          `for i = 0 .. 100 step 1 { store B[i] = A[max(i - 50, 49 - i)] }`,
		"wrap":            `for i = 0 .. 100 step 1 { store B[i] = A[(i - 7) % 100] }`,
		"gather":          `for i = 0 .. 100 step 1 { let g int64 = cast(int64, I[i]) check g >= 0 && g < 100, 0, g store B[i] = A[g] }`,
		"gather, again":   `for i = 0 .. 100 step 1 { check cast(int64, I[i]) >= 0, 0, 1 check cast(int64, I[i]) < 100, 0, 1 store B[i] = A[cast(int64, I[i])] }`,
		"gather masked":   `let g int64x8 = cast(int64, I[5; 8]) store B[8; mask g >= broadcast(0, 8) && g < broadcast(100, 8)] = A[g; 8; mask !(g < broadcast(0, 8) || g > broadcast(99, 8))]`,
		"strided":         `store B[ramp(1, 14, 8)] = A[ramp(99, -14, 8); 8]`,
		"symbolic":        `for i = 0 .. N step 1 { store V[i] = V[N - 1 - i] }`,
		"symbolic tiles":  `for t = 0 .. (N + 31) / 32 step 1 { for i = 0 .. min(32, N - t * 32) step 1 { store V[t * 32 + i] = float32(0) } }`,
		"symbolic lanes":  `for i = 0 .. N / 8 * 8 step 8 { store V[i] = broadcast(float32(0), 8) } for j = N / 8 * 8 .. N step 1 { store V[j] = float32(0) }`,
		"two sizes":       `for i = 0 .. N step 1 { for j = 0 .. M step 1 { store D[i * M + j] = D[(N - 1 - i) * M + j] } }`,
		"two, fused":      `for i = 0 .. N step 1 { for j = 0 .. M / 8 step 1 { store D[i * M + j * 8] = broadcast(float32(0), 8) } }`,
		"registers":       `alloc acc { unrolled r = 0 .. 6 step 1 { store acc[r] = broadcast(float32(0), 8) } for k = 0 .. 3 step 1 { unrolled r.1 = 0 .. 6 step 1 { store acc[r.1] = acc[r.1; 8] + A[r.1 * 8 + k; 8] } } }`,
		"workspace":       `parallel p = 0 .. 8 step 1 { store W[p * 8] = A[p * 8; 8] }`,
		"contradiction":   `for i = 0 .. 2 step 1 { if i >= 2 { store B[i + 1000] = float32(0) } if i > M && i < M { store B[i - 7] = float32(0) } }`,
		"three in one":    `for b = 0 .. 10 step 8 { let n int64 = min(8, 10 - b) parallel p = 0 .. 2 * 5 * n step 1 { let q int64 = p / n store B[b + p % n + q / 5 * 50 + q % 5 * 10] = float32(0) } }`,
		"two minima":      `for b = 0 .. 10 step 8 { for c = 0 .. 5 step 4 { let n int64 = min(8, 10 - b) let m int64 = min(4, 5 - c) parallel p = 0 .. 2 * m * n step 1 { let q int64 = p / n store B[b + p % n + q / m * 50 + (c + q % m) * 10] = float32(0) } } }`,
		"no room":         `for c = 0 .. 26 step 1 { for k = max(0, c / 2 - 6) .. min(7, min(6, c / 2) + 1) step 1 { let l int64 = max(0, max((1 - c) / 2 + k + 4, 0)) parallel p = 0 .. max(0, min(5, min((1 - c) / 2 + k + 6, 4) + 1) - l) step 1 { if c - k * 2 + l * 2 + p * 2 - 8 >= 0 && c - k * 2 + l * 2 + p * 2 - 8 < 6 { store W[c - k * 2 + l * 8 + p * 8 + 26] = float32(0) } } } }`,
		"far away":        `let j int64 = -9223372036854775808 if j >= 1 && j < 4 { for k = 0 .. 9 step 1 { store B[j + k * 3 - 1] = float32(0) } } store B[max(0, j)] = float32(0)`,
		"all lanes":       `for i = 0 .. 200 step 1 { if fold(&&, broadcast(i < 100, 8)) { store B[i] = float32(0) } }`,
		"no lane":         `for i = 0 .. 200 step 1 { if fold(||, broadcast(i >= 100, 8)) { } else { store B[i] = float32(0) } }`,
		"dead":            `if 1 > 2 { store B[1000] = float32(0) } for i = 5 .. 5 step 1 { store B[i + 1000] = float32(0) }`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := loop.Verify(parse(t, testHead, body)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestVerifyRejects has programs that are wrong, and part of the reason.
func TestVerifyRejects(t *testing.T) {
	for body, want := range map[string]string{
		`for i = 0 .. 101 step 1 { store B[i] = float32(0) }`:                                                                                               "store to B[i]",
		`for i = 0 .. 100 step 1 { store B[i] = A[i - 1] }`:                                                                                                 "load from A[i - 1]",
		`for i = 0 .. 100 step 8 { store B[i] = A[i; 8] }`:                                                                                                  "[0, 100)",
		`for i = 0 .. 100 step 8 { store B[i; mask ramp(i, 1, 8) < broadcast(101, 8)] = A[0; 8] }`:                                                          "store to B",
		`for i = 0 .. 10 step 1 { for j = 0 .. 11 step 1 { store B[i * 10 + j] = float32(0) } }`:                                                            "store to B",
		`for i = 0 .. 100 step 1 { store B[cast(int64, I[i])] = float32(0) }`:                                                                               "store to B",
		`for i = 0 .. 100 step 1 { check cast(int64, I[i]) < 100, 0, 1 store B[cast(int64, I[i])] = float32(0) }`:                                           "store to B",
		`for i = 0 .. N step 1 { store V[i + 1] = float32(0) }`:                                                                                             "store to V",
		`for i = 0 .. N step 1 { for j = 0 .. M step 1 { store D[i * N + j] = float32(0) } }`:                                                               "store to D",
		`for i = 0 .. 100 step 1 { store B[i] = select(i > 1, float32(0), A[i - 1]) }`:                                                                      "load from A",
		`for b = 0 .. 10 step 8 { let n int64 = min(8, 10 - b) parallel p = 0 .. 11 * n step 1 { store B[p / n * 10] = float32(0) } }`:                      "store to B",
		`for n = 0 .. 9 step 1 { parallel p = 0 .. 10 * n + 1 step 1 { store B[p / n * 10] = float32(0) } }`:                                                "store to B",
		`for n = 1 .. 9 step 1 { parallel p = 0 .. 99 step 1 { if p < 10 * n { store B[p / n * 10] = float32(0) } store B[p / n * 10 + 1] = float32(0) } }`: "+ 1",
		`for i = 0 .. 200 step 1 { if fold(||, broadcast(i < 100, 8)) { store B[i] = float32(0) } }`:                                                        "store to B[i]",
		`store A[0] = float32(0)`:                 "read-only",
		`store B[0] = float64(0)`:                 "a store of float64",
		`store acc[0] = broadcast(float32(0), 8)`: "outside its alloc",
		`alloc acc { parallel i = 0 .. 6 step 1 { store acc[i] = broadcast(float32(0), 8) } }`: "share the private buffer",
		`unrolled i = 0 .. N step 1 { }`:                           "not constants",
		`for i = 0 .. 10 step 0 { }`:                               "step 0",
		`let x float32 = A[0] + cast(float32, cast(int32, 1) + 1)`: "operands of type int32 and int64",
		`let x float32x3 = broadcast(float32(0), 3)`:               "3 lanes",
		`if 1 > 0 { let x int64 = 1 } let y int64 = x`:             "outside its scope",
		`check true, 1, 0`:                                         "site 1 of 1",
		`let x float16 = cast(float16, 1)`:                         "cast to float16",
		`let x int64 = 1 && 2`:                                     "logical operator",
		`store W[60] = broadcast(float32(0), 8)`:                   "[0, 64)",
		`for i = 0 .. 100 step 1 { let j int8 = cast(int8, i) + int8(100) store B[cast(int64, j)] = float32(0) }`: "store to B",
		`for i = 0 .. 100 step 1 { if i + 5 < 100 { comment "then" } store B[i + 5] = float32(0) }`:               "store to B[i + 5]",
	} {
		err := loop.Verify(parse(t, testHead, body))
		var internal *source.InternalError
		if !errors.As(err, &internal) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot %v, want %q", body, err, want)
		}
	}
}

// FuzzParse: the parser never fails but with a diagnostic, and what it reads
// prints to text that reads back.
func FuzzParse(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(loop.Print(looptest.Program(rand.New(rand.NewPCG(seed, 1)), "seed")))
	}
	f.Add("kernel \"k\" workspace 256 {\n" + testHead + "\nstore B[0] = A[0]\n}")
	f.Fuzz(func(t *testing.T, text string) {
		program, err := loop.Parse(source.NewFile("fuzz", text))
		if err != nil {
			return
		}
		printed := loop.Print(program)
		again, err := loop.Parse(source.NewFile("printed", printed))
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if loop.Print(again) != printed {
			t.Fatalf("prints differently:\n%s", printed)
		}
		_ = loop.Verify(program) // must not run away
	})
}
