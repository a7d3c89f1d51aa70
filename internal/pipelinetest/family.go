package pipelinetest

import (
	"regexp"
	"strings"
)

// A family is a template of programs for which the scheduler has a maker of its
// own. T stands for an element type; [a|b] for one of the texts, which is drawn.
type family struct {
	floats bool // only for floating-point types
	text   string
}

// epilogue of a matrix D made of C.
const epilogue = "[D(i,j) = C(i,j) + b(j)|D(i,j) = fmax(C(i,j) + b(j), T(0))|D(i,j) = C(i,j) * T(2)|D(i,j) = C(i,j)\n C(i,j) = C(i,j) + b(j)]"

var families = []family{
	// Padded operands, and windows that are counted backwards.
	{text: "def f(T(G,P,M,K) I, T(N,P,Q,Q) W) -> (O) { O(g,n,x,y) [+=!|max=!|min=!] pad(I(g,p,[x|2*x] [+|-] [q|2*q] [- 1|+ 1|],y [+|-] r - 1), T([0|1])) * W(n,p,q,r) where x in 0:M, y in 0:K }"},
	{text: "def f(T(P,M,K) I, T(P,M,K) J, T(N) b) -> (O) { O(n,x,y) +=! pad(I(p,x + q - 1,y - r + 1), T(0)) [*|+|-] pad(J(p,x - q + 1,y + [r|2*r]), T([0|1])) [* b(n)|] where n in 0:N, x in 0:M, y in 0:K, q in 0:3, r in 0:[2|3] }"},
	{text: "def f(T(P,M,K) I, T(P,Q,Q) W) -> (O[|, D]) { O(p,x,y) +=! pad(I(p,[x|2*x] + q - 1,y [+|-] r), T([0|-1])) * W(p,q,r) where x in 0:M, y in 0:K\n D(p,x,y) = O(p,x,y) + O(p,x,y) }"},
	{text: "def f([int8|uint8](P,M,K) I, [int8|uint8](N,P,3,3) W) -> (O) { O(n,x,y) +=! int32(pad(I(p,x + q - 1,y + r - 1), 0)) * int32(W(n,p,q,r)) where x in 0:M, y in 0:K }"},
	// Transposed convolutions, phase by phase, and dilated ones.
	{text: "def f(T(P,M,K) I, T(P,N,4,4) W) -> (O) { O(n,x,a,y,b) +=! I(p,x + a + 1 - u,y + b + 1 - v) * W(p,n,1 - a + 2*u,1 - b + 2*v) where a in 0:2, b in 0:2, u in 0:2, v in 0:2, x in 0:M-2 or empty, y in 0:K-2 or empty }"},
	{text: "def f(T(P,M,K) I, T(N,P,Q,Q) W) -> (O) { O(n,x,y) +=! I(p,x + [2|3|4]*q,y + [2|3|4]*r) * W(n,p,q,r) where x in 0:M-12 or empty, y in 0:K-12 or empty }"},
	// Results and operands whose vectors interleave.
	{text: "def f(T(M,3) a, T(M,3) b) -> (c) { c(n,i) = a(n,(i + 1) % 3) * b(n,(i + 2) % 3) [|- a(n,(i + 2) % 3) * b(n,(i + 1) % 3)] where i in 0:3 }"},
	{text: "def f(T(M,N) I) -> (S) { g(y,x,a) = a == 0 ? I(y + 1,x) - I(y,x) : I(y,x + 1) - I(y,x) where a in 0:[2|3], y in 0:M-1 or empty, x in 0:N-1 or empty\n S(y,x,a,b) = g(y,x,a) [*|+] g(y,x,b) }"},
	{text: "def f(T(M,Q,Q) A, T(K,Q) x, int32(M) J) -> (y[|, z]) { y(i,a) [+=!|max=!] A(i,a,b) * x(J(i),b)\n z(i,a) = y(i,a) + y(i,a) }"},
	{text: "def f(NARROW(M,N,3) I) -> (O) { [O(y,x) = NARROW(WIDE(I(y,x,0)) + WIDE(I(y,x,1)) * 2 - WIDE(I(y,x,2)))|O(y,x,c) = [NARROW|float](WIDE(I(y,x,2 - c)) [+ c|]) where c in 0:3|O(y,x,c) = NARROW(WIDE(I(y,x,c)) + WIDE(I(y,x,0)))] }"},
	// Rows that lie end to end.
	{text: "def f(T(G,M,L) A) -> (B) { B(g,i,j) = A(g,i,j + 1) [|+ A(g,i + 1,j)] [+|-] A(g,i + 1,j + 2) }"},
	{text: "def f(T(P,M,N) A, T(Q,Q) W) -> (B) { B(p,i,j) +=! A(p,i + q,j + r) * W(q,r) }"},
	{text: "def f(T(P,M,N) A) -> (B) { B(p,i,j) = A(p + 1,i + 1,j) + A(p + 1,i + 1,j + 2) + A(p,i + 1,j + 1) + A(p + 2,i + 1,j + 1) [|+ A(p + 1,i,j + 1) + A(p + 1,i + 2,j + 1)] }"},
	// Wrapped neighbours, halves and sums over them.
	{text: "def f(T(M,N) A) -> (R) { [R +=! A(i,j) * (wrap(A(i + 1,j)) + wrap(A(i,j + 1)))|R(j) [+=!|max=!] A(i,j) + pad(A(i + 2,j), T(0))|R(i,j) = j < N / 2 ? A(i,min(j + N / 2,N - 1)) : A(i,j - N / 2) + A(i,j)|R(i,j) = A(i,j) * wrap(A(i - 1,j + 2))] where i in 0:M, j in 0:N }"},
	{text: "def f(T(M,N) A, [int32|int64](P) J) -> (B) { B(k,i,j) [=|+=] A((i + J(k)) % M,(j [+|-] J(k)) % N) where i in 0:M, j in 0:N }"},
	{text: "def f(T(M,N) A, int32(P) J) -> (y) { y(i) +=! pad(A(i,i + int64(J(k))), T(0)) [|* T(2)] where i in 0:M, k in 0:P }"},
}

// placeholders stand for a choice in the templates.
var placeholders = map[string]string{"NARROW": "[uint8|int8|int16|uint16]", "WIDE": "[int32|int32|int64]"}

var (
	choicePattern = regexp.MustCompile(`\[([^][]*)\]`)
	typePattern   = regexp.MustCompile(`\bT\b`)
)

// boundaries are sizes about the borders of vectors and tiles.
var boundaries = []int64{1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 95, 97, 128, 129}

// DrawFamily draws a program that the scheduler knows, with its sizes, of which
// the evaluator computes at most work points.
func DrawFamily(c *Choices, work int64) (text string, sizes map[string]int64) {
	x := Pick(c, families...)
	types := []string{"float", "float", "double", "half", "bfloat16"}
	if !x.floats && c.OneIn(3) {
		types = integerTypes
	}
	for word, list := range placeholders {
		x.text = strings.ReplaceAll(x.text, word, list)
	}
	text = typePattern.ReplaceAllString(c.alternatives(x.text), Pick(c, types...))
	sizes = map[string]int64{"G": int64(c.Between(1, 3)), "Q": int64(c.Between(1, 4))}
	sizes["L"] = min(int64(c.Between(490, 1200)), work/20) // a window has at most 16 points
	names := []string{"M", "N", "K", "P"}
	for _, n := range names {
		sizes[n] = Pick(c, boundaries...)
	}
	points := func() int64 {
		product := int64(1)
		for name, n := range sizes {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
				product *= n
			}
		}
		return product
	}
	for points() > work {
		sizes[Pick(c, names...)] = Pick(c, boundaries[:9]...)
	}
	if c.OneIn(12) {
		sizes[Pick(c, names...)] = 0
	}
	return text, sizes
}

// alternatives draws one text of every [a|b].
func (c *Choices) alternatives(text string) string {
	for {
		at := choicePattern.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		text = text[:at[0]] + Pick(c, strings.Split(text[at[2]:at[3]], "|")...) + text[at[1]:]
	}
}
