package pipelinetest_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/tensor"
)

// defaults are programs whose default schedules were illegal, so that they ran in the order of the
// program. Those that are large are not run.
var defaults = []struct {
	name, text string
	sizes      map[string]int64
	strides    map[string][]int64
	constant   []string
	dynamic    []string
	machine    machine.Processor
	large      bool
}{
	{name: "layers of a batch of one", machine: wide,
		text:  "def f(float(M,G,K) A, float(K,N) W, float(N,P) V) -> (D) { H(m,g,n) +=! A(m,g,k) * W(k,n)\n D(m,g,p) +=! H(m,g,n) * V(n,p) }",
		sizes: map[string]int64{"M": 64, "G": 1, "K": 32, "N": 32, "P": 16}},
	{name: "the gradient of a convolution, one image", machine: wide, constant: []string{"X"},
		text:  "def f(float(1,34,4,1) X, float(34,27,2,2) V) -> (Y) { Y(n,c,h,w) +=! ((h - r) % 3 == 0 && (w - s) % 3 == 0 ? pad(X(n,f,(h - r) / 3,(w - s) / 3), float(0)) * V(f,c,r,s) : float(0)) where h in 0:12, w in 0:3 }",
		sizes: map[string]int64{}},
	{name: "columns of a matrix stored column by column", machine: small,
		text:    "def f(double(M,K) A, double(K) v) -> (y) { y(i) +=! A(i,k) * v(k) }",
		strides: map[string][]int64{"A": {1, 133}}, sizes: map[string]int64{"M": 128, "K": 65}},
	{name: "columns summed over windows of one point", machine: small,
		text:  "def f(float(G,P,M,K) I, float(N,P,Q,Q) W) -> (O) { O(g,n,x,y) +=! pad(I(g,p,x + q - 1,y + r - 1), float(0)) * W(n,p,q,r) where x in 0:M, y in 0:K }",
		sizes: map[string]int64{"G": 3, "K": 97, "M": 65, "N": 1, "P": 47, "Q": 1}},
	{name: "few columns that fill the registers", machine: wide,
		text:  "def f(int16(G,M,R) A, int16(G,R,N) B) -> (C) { C(g,i,j) +=! A(g,i,k) * B(g,k,j) }",
		sizes: map[string]int64{"G": 2, "M": 65, "N": 15, "R": 1587}},
	{name: "channels of a constant operand, one of a batch", machine: wide, constant: []string{"A"},
		text:  "def f(uint32(G,M,R) A, uint32(G,R,N) B) -> (C) { C(g,i,j) +=! A(g,i,k) * B(g,k,j) }",
		sizes: map[string]int64{"G": 1, "M": 2, "N": 3, "R": 512}, strides: map[string][]int64{"B": {9, -9, 3}, "C": {3, 10, -3}}},
	{name: "long sums, one of a batch", machine: wide,
		text:  "def f(float(G,M,R) A, float(G,R,N) B) -> (C) { C(g,i,j) +=! A(g,i,k) * B(g,k,j) }",
		sizes: map[string]int64{"G": 1, "M": 2, "N": 16, "R": 3001}},
	{name: "long sums of a batch", machine: wide,
		text:  "def f(float(G,M,R) A, float(G,R,N) B) -> (C) { C(g,i,j) +=! A(g,i,k) * B(g,k,j) }",
		sizes: map[string]int64{"G": 3, "M": 16, "N": 16, "R": 2500}},
	{name: "a transposition beside another element", machine: wide,
		text:  "def f(float(M,N) A) -> (C) { C(j,i) = A(i,j) + A(0,0) }",
		sizes: map[string]int64{"M": 96, "N": 63}, dynamic: []string{"N"}},
	{name: "a transposition to columns with gaps", machine: wide,
		text:  "def f(uint64(M,N) A, uint64(N,M) B) -> (C) { C(j,i) = A(i,j) - B(j,i) }",
		sizes: map[string]int64{"M": 100, "N": 37}, strides: map[string][]int64{"C": {1, 42}}},
	{name: "a transposition that converts", machine: small,
		text:  "def f(uint8(A,B,C) X) -> (R) { R(b,c,a) = double(X(a,b,c)) }",
		sizes: map[string]int64{"A": 65, "B": 129, "C": 40}, dynamic: []string{"A", "C"}},
	{name: "finished results of an index of one value", machine: wide,
		text:  "def f(uint32(F,B,A,D,E) X, uint32(C,F,E) Y) -> (S) { R(b,d,a,c) min=! X(f,b,a,d,e) * Y(c,f,e)\n S(a,b,c,d) = max(R(b,d,a,c), uint32(0)) + uint32(1) }",
		sizes: map[string]int64{"A": 4, "B": 13, "C": 33, "D": 1, "E": 150, "F": 3}},
	{name: "boundaries of sizes that are not known", machine: wide, dynamic: []string{"M", "N"},
		text:  "def f(float(M,N) A) -> (C) { B(i,j) = clamp(A(i-1,j)) + wrap(A(i,j+1)) + mirror(A(i,j-1)) where i in 0:M, j in 0:N\n C(i,j) = pad(B(i-1,j+1) - B(i+1,j-1), B(i,j)) where i in 0:M, j in 0:N }",
		sizes: map[string]int64{"M": 19, "N": 77}},
	{name: "windows of many steps that are sorted", machine: tiny, large: true, strides: map[string][]int64{"X": {-1, 26880, 560, 8}},
		text:  "def f(half(A,B,C,D) X, double(D) v) -> (R) { R(c,d) min=! double(X(a,b,c,d)) * v(d)\n R(c,d) = R(c,d) + R(c,d) }",
		sizes: map[string]int64{"A": 3, "B": 4096, "C": 48, "D": 70}},
	{name: "partial sums of many columns", machine: machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 8 << 10, L2: 64 << 10, L3: 256 << 10, Cores: 1}, large: true,
		text:  "def f(half(E,B,C,F) X, half(F,A,E) Y, half(C,E,F,D,B) Z) -> (R) { R(c,d,a,b) +=! X(e,b,c,f) * Y(f,a,e) * Z(c,e,f,d,b) }",
		sizes: map[string]int64{"A": 7, "B": 5003, "C": 511, "D": 5003, "E": 150, "F": 64}, strides: map[string][]int64{"R": {-1, 17895736, 511, 3577}}},
	{name: "a panel beside rows", machine: wide, large: true,
		text:  "def f(double(C,A,E,F,D) X, double(B,E,D,F) Y) -> (R) { R(b,a,c) +=! X(c,a,e,f,d) * Y(b,e,d,f) }",
		sizes: map[string]int64{"A": 1024, "B": 10003, "C": 4096, "D": 100, "E": 200, "F": 12}},
	{name: "bytes that are not multiplied in groups", machine: wide, large: true,
		text:  "def f(int8(C,F,A,G,E) X, int8(G,D,E,B,F,A) Y) -> (R) { R(a,c,d,b) max=! X(c,f,a,g,e) * Y(g,d,e,b,f,a) }",
		sizes: map[string]int64{"A": 4, "B": 1000, "C": 300, "D": 2000, "E": 9, "F": 4096, "G": 600}},
	{name: "rows that are as many as columns", machine: small, large: true,
		text:  "def f(double(F,C,G,E,A) X, double(E,D,C,G,F) Y, double(F,B,G,E) Z) -> (R) { R(c,d,b,a) +=! X(f,c,g,e,a) * Y(e,d,c,g,f) * Z(f,b,g,e) }",
		sizes: map[string]int64{"A": 333, "B": 150, "C": 1024, "D": 2000, "E": 7, "F": 1024, "G": 2049}},
	{name: "a panel of few long steps", machine: narrow, large: true,
		text:  "def f(float(B,A,D,E) X, float(E,C,F,D) Y) -> (R) { R(a,c,b) max=! X(b,a,d,e) * Y(e,c,f,d)\n R(a,c,b) = R(a,c,b) * float(2) }",
		sizes: map[string]int64{"A": 10003, "B": 1024, "C": 97, "D": 511, "E": 1003, "F": 63}},
	{name: "a panel that does not depend on the longest sum", machine: machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 256 << 20, Cores: 3}, large: true,
		text:  "def f(int32(C,D,E) X, int32(A,E,B,D) Y, int32(E,D) Z) -> (R) { R(b,a) *=! X(c,d,e) * Y(a,e,b,d) * Z(e,d)\n R(b,a) = R(b,a) * int32(2) }",
		sizes: map[string]int64{"A": 49, "B": 65, "C": 257, "D": 6, "E": 200}},
	{name: "columns of a chunk beside its sums", machine: machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 48 << 10, L2: 2 << 20, L3: 256 << 20, Cores: 3}, large: true,
		text:  "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
		sizes: map[string]int64{"M": 32, "N": 500, "K": 1 << 20}},
	{name: "a filter whose last dimension has gaps", machine: machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 48 << 10, L2: 2 << 20, L3: 256 << 20, Cores: 2}, large: true, constant: []string{"V"},
		text:    "def f(int8(G,P,M,K) I, uint8(G,M,K,P) J, uint8(Q,Q,P,N) V) -> (O) { O(g,n,x,y) +=! int32(J(g,x + q,y + r,p)) * int32(V(q,r,p,n)) }",
		strides: map[string][]int64{"J": {256, 2, 256, -16128}, "O": {1, 15626, 125, -2}, "V": {835657, 208914, 3, 12289}},
		sizes:   map[string]int64{"G": 1, "K": 63, "M": 128, "N": 17, "P": 4096, "Q": 4}},
	{name: "rows in pieces", machine: machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 8 << 10, L2: 64 << 10, L3: 256 << 10, Cores: 1},
		text:  "def f(float(M,N) X, float(N) gain, float(N) bias) -> (Y) { m(i) +=! X(i,j)\n m(i) = m(i) / N\n v(i) +=! (X(i,j) - m(i)) * (X(i,j) - m(i)) / N\n Y(i,j) = (X(i,j) - m(i)) * rsqrt(v(i) + 1) * gain(j) + bias(j) }",
		sizes: map[string]int64{"M": 293, "N": 1536}, strides: map[string][]int64{"Y": {1543, 1}}},
	{name: "rows in pieces, as many as the call says", machine: machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 8 << 10, L2: 64 << 10, L3: 256 << 10, Cores: 3},
		text:  "def f(float(M,N) X, float(N) gain, float(N) bias) -> (Y) { m(i) +=! X(i,j)\n m(i) = m(i) / N\n v(i) +=! (X(i,j) - m(i)) * (X(i,j) - m(i)) / N\n Y(i,j) = (X(i,j) - m(i)) * rsqrt(v(i) + 1) * gain(j) + bias(j) }",
		sizes: map[string]int64{"M": 293, "N": 1536}, dynamic: []string{"M"}},
	{name: "columns of shallow sums that fill the stack", machine: wide, large: true,
		text:  "def f(float(M,K) A, float(N,K) B) -> (C) { C(i,j) +=! A(i,k) * B(j,k) }",
		sizes: map[string]int64{"M": 500, "N": 4297, "K": 61}},
	{name: "columns of shallow sums in a large cache", machine: machine.Processor{VectorBytes: 16, VectorRegisters: 32, L1: 64 << 10, L2: 12 << 20, L3: 24 << 20, Cores: 4}, large: true,
		text:  "def f(double(K,M) A, double(N,K) B) -> (C) { C(i,j) +=! A(k,i) * B(j,k) }",
		sizes: map[string]int64{"M": 2000, "N": 8191, "K": 61}},
	{name: "partial sums beside rows that are copied", machine: machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 4 << 10, L2: 16 << 10, L3: 64 << 10, Cores: 1}, large: true,
		text:  "def f(half(G,M,K) A, half(G,K,N) B) -> (C) { C(g,i,j) +=! A(g,i,k) + B(g,k,j) }",
		sizes: map[string]int64{"G": 4096, "K": 3000, "M": 16, "N": 3}},
}

// Machines: one of the usual caches, one whose caches are small, and two of narrow vectors.
var (
	wide   = machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	small  = machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 8 << 10, L2: 32 << 10, L3: 256 << 10, Cores: 7}
	tiny   = machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 4 << 10, L2: 16 << 10, L3: 64 << 10, Cores: 3}
	narrow = machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 8 << 10, L2: 64 << 10, L3: 256 << 10, Cores: 8}
)

// TestDefaultsAreLegal makes the default schedules of programs whose schedules were not, and runs those that
// the evaluator can.
func TestDefaultsAreLegal(t *testing.T) {
	k := compiler(t)
	var cases []*pipelinetest.Case
	for n, x := range defaults {
		one := &pipelinetest.Case{Name: fmt.Sprintf("default%d", n), Text: x.name + ": " + x.text, Machine: &x.machine, Threads: 3, Keep: map[string]bool{},
			Strides: x.strides, Constant: x.constant, Args: map[string]*tensor.Tensor{}, Func: compile(t, pipelinetest.Program{Text: x.text})}
		shapes := bindSizes(t, one, x.sizes)
		if shapes == nil {
			t.Fatalf("%s has other sizes", x.name)
		}
		for _, size := range x.dynamic {
			one.Keep[size] = true
		}
		prepare := one.PrepareDefault
		if x.large {
			prepare = one.Default
		}
		if err := prepare(); err != nil {
			t.Errorf("%v\n%s", err, one)
			continue
		}
		if x.large {
			continue
		}
		for n, a := range one.Func.ByRole(ein.Input) {
			one.Args[a.Name] = argument(t, a, shapes[a.Name], uint64(n))
		}
		cases = append(cases, one)
	}
	runFixed(t, k, cases)
}
