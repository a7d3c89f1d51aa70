package pipelinetest

import "strings"

// boundsThemes are programs whose accesses leave their tensors but where a boundary function or a
// condition keeps them from it.
var boundsThemes = []theme{
	// Several accesses under one boundary function, and boundary functions in one another.
	{"boundary", []string{
		"def f(T(N) A) -> (B[|, C]) { B(i) = EDGE1 where i in 0:N\n C(i) = B(i) + clamp(B(i + 1)) }",
		"def f(T(N) A, T([2|3|5]) w) -> (B) { B(i) [+=!|+=!|max=!] [EDGEK] where i in 0:N }",
		"def f(T(M,N) A) -> (B[|, s]) { B(i,j) = EDGE2 where i in 0:M, j in 0:N\n s [+=!|max=!] B(i,j) }",
		"def f(T(M,N) A, T([2|3],[1|3]) w) -> (B) { B(i,j) [+=!|+=!|max=!] " + edges("A(i + r - 1,j + q - 1) * w(r,q) [|+ A(i - r,j)]") + " where i in 0:M, j in 0:N }",
		"def f(T(M,N,Z) A) -> (B) { B(i,j,c) = pad(A(i - 1,j,c) + A(i + 1,j,c) [+|-] A(i,j + [1|-1],c), [T(1)|A(i,j,c)]) where i in 0:M, j in 0:N, c in 0:Z }",
		"def f(T(N) A, int32(N) J) -> (B) { B(i) = " + edges("A(int64(J([i|i + 1])) - 1) [+|*] A(i - 1) [|- A(i + 2)]") + " where i in 0:N }",
		"def f(T(M,N) A, T(M,N) C) -> (B) { t(i,j) = pad(A(i - 1,j) * C(i,j + 1), T(1)) where i in 0:M, j in 0:N\n B(i,j) = pad(t(i + 1,j) - t(i,j - 1), t(i,j)) where i in 0:M, j in 0:N }",
		"def f(T(N) A) -> (B) { B(i) = (t + pad(t * A(i - [1|2]), u)) where i in 0:N, t = pad(A(i + 1) - A(i - 1), T(2)), u = [clamp|mirror](A(i - 3)) }",
	}},
	// Accesses that conditions keep in bounds.
	{"condition", []string{
		"def f(T(N) A, int32 s) -> (B[|, C]) { B(i) = GUARD1 where i in 0:N\n C(i) = B(i) + A(i) }",
		"def f(T(N) A, int32 s) -> (B) { B(i) = [T|float]([GUARD1]) [+|*] [T|float]([GUARD1]) where i in 0:N }",
		"def f(T(N) A, int32 s) -> (B) { t(i) = GUARD1 where i in 0:N\n B(i) = i > 0 ? t(i - 1) [+|-] t(i) : t(i) }",
		"def f(T(N) A, T(N) C, int32 s) -> (B) { B(i) [+=!|+=!|max=!] [GUARDJ] where i in 0:N, j in 0:[N|N|[3|4]] }",
		"def f(T(M,N) A) -> (B) { B(i,j) = GUARD2 where i in 0:M, j in 0:N }",
		"def f(T(M,N) A, T(M,N) C) -> (B) { B(i,k) [+=!|max=!] [j < i|j <= i|j != i|j > i] && j < N ? A(i,j) * C(j,k) : T(0) where i in 0:M, j in 0:M, k in 0:N }",
		"def f(T(M,N) A) -> (B) { B(i) +=! [inside|!outside|inside && !outside] ? A(i - 1,j + 1) [|* A(i,j)] : [T(0)|A(i,j)] where i in 0:M, j in 0:N, inside = i > 0 && j + 1 < N, outside = i < 1 OR j >= N - 1 }",
		"def f(T(N) A, T(M) C) -> (B) { B(i) = i < [N|N|min(N, N)] ? A(i) : C(i - N) where i in 0:N + M }",
		"def f(T(N) A, int32(N) J) -> (B) { B(i) = [J(i) > 0|J(i) >= 1 && i > 0|i > 0 ? J(i - 1) > 0 : 0 == 1] ? A(J(i) - [1|1|2]) : [A(J(i))|A(i)] where i in 0:N }",
	}},
}

// boundsPlaceholders stand for what the templates of these themes have in common.
var boundsPlaceholders = strings.NewReplacer(
	"EDGE1", "[pad(SUM1, T([0|1]))|pad(SUM1, A(i))|"+edges("SUM1")+"|clamp(A(i - 1) + pad(SUM1, T(2)))|pad(clamp(A(i - 2)) * SUM1, mirror(A(i + 1)))|"+
		"wrap(SUM1 - mirror(SUM1))|pad(A(i - 1) > T(1) && A(i + 1) > T(1) ? SUM1 : T(3), T(4))|min(pad(SUM1, T(0)), clamp(SUM1))|pad(pad(SUM1, A(i - 1)) + A(i + 2), T(1))|pad(A(2*i - 1) + A(i/2 - 1), T(0))]",
	"EDGEK", "pad(A(i + k - 1) * w(k) [|+ A(i - k)], T(0))|pad(A(i - k), [A(i)|T(1)]) * w(k)|"+edges("A(i - 2*k) * A(i + k)")+" + w(k)|w(k) * pad(A(i + k) - A(i - k), mirror(A(i - k)))",
	"EDGE2", "[pad(FIVE, [T(0)|A(i,j)])|pad(FIVE * A(i + 1,j + 1), clamp(A(i - 1,j)))|"+edges("FIVE")+" + A(i,j)|pad(A(i - 1,j) * clamp(A(i,j - 1)), T(1))|mirror(A(i - 1,j)) + pad(wrap(FIVE) + A(i,j - 2), T(0))|pad(A(j,i) + A(i,j), T(2))]",
	"GUARD1", "[i > 0 ? A(i - 1) : REST|i > 0 && i < N - 1 ? A(i - 1) [+|*] A(i + 1) : REST|i == 0 OR i == N - 1 ? REST : A(i - 1) - A(i + 1)|"+
		"i == 0 ? A(i) : i == N - 1 ? T(2) : A(i - 1) * A(i + 1)|i % 2 == 1 ? A(i - 1) : REST|i / [2|3] > 0 ? A(i - 2) : REST|[i != 0|!(i == 0)] ? A(i - 1) : REST|"+
		"!(i < 2 OR i + 2 >= N) ? A(i - 2) + A(i + 2) : REST|min(i, N - 1 - i) > 0 ? A(i - 1) + A(i + 1) : REST|2*i + 1 < N ? A(2*i + 1) : A(i)|i < N/2 ? A(2*i) : A(i - N/2)|"+
		"i - s >= 0 && i - s < N ? A(i - s) : REST|s >= 0 && i >= s ? A(i - s) : REST|i > 0 && A(i - 1) > T(1) ? A(i - 1) : REST|i == 0 OR A(i - 1) > T(1) ? REST : A(i - 1)|"+
		"(i > 0 ? i < N - 1 : 0 == 1) ? A(i - 1) + A(i + 1) : REST|A(i > 0 ? i - 1 : 0)|N > 3 ? A(3) : REST|i < [1|3|8] ? REST : A(i - [1|1|1])|i > 0 ? pad(A(i + 1) - A(i - 1), T(1)) : REST|max(i, 1) == i ? A(i - 1) : REST]",
	"GUARDJ", "j <= i ? A(i - j) * C(j) : T(0)|i + j < N ? A(i + j) : [T(0)|T(1)]|j < i && i - j < [3|5] ? A(i - j - 1) : T(0)|i - 2*j >= 0 ? A(i - 2*j) * C(i) : T(1)|"+
		"s > 0 && i - s*j >= 0 ? A(i - s*j) : T(0)|[i - j > 0 OR j - i > 0|i != j] && j < N ? A(j) : T(1)|i >= j ? (i - j < N - 1 ? A(i - j + 1) : T(1)) : T(2)|(i + j) % 2 == 1 && i >= j ? A(i - j - 1) : C(i)",
	"GUARD2", "[i > 0 && j > 0 ? A(i - 1,j - 1) : REST2|i > 0 && i < M - 1 && j > 0 && j < N - 1 ? FIVE [|* A(i,j)] : REST2|i < N && j < M ? A(j,i) : REST2|(i > 0 ? A(i - 1,j) : T(0)) + (j + 1 < N ? A(i,j + 1) : T(1))|"+
		"i == 0 OR j == 0 OR i == M - 1 OR j == N - 1 ? REST2 : A(i - 1,j) + A(i + 1,j) + A(i,j - 1) + A(i,j + 1)|i > 0 ? (j > 0 ? A(i - 1,j - 1) : A(i - 1,j)) : (j > 0 ? A(i,j - 1) : A(i,j))|i + j < min(M, N) ? A(i + j,j) : REST2|i*N + j > 0 && j > 0 ? A(i,j - 1) : REST2]",
)

// boundsParts stand in what boundsPlaceholders have made.
var boundsParts = strings.NewReplacer(
	"SUM1", "A(i [+|-] [1|2|3]) [+|*|-] A(i [-|+] [1|2]) [|+ A(i)|* A(i + 3)]",
	"FIVE", "(A(i - 1,j) + A(i + 1,j) [+|-] A(i,j - 1) + A(i,j + 1))",
	"REST2", "[T(0)|A(i,j)|clamp(A(i,j - 1))]", "REST", "[T(0)|A(i)|clamp(A(i - 1))|T(3)]")

// BoundsThemes is how many of the last themes are about bounds.
func BoundsThemes() int { return len(boundsThemes) }

// edges draws a boundary function around a value.
func edges(value string) string {
	return "[pad(" + value + ", T(0))|clamp(" + value + ")|mirror(" + value + ")|wrap(" + value + ")]"
}

// drawBounds draws a program of such a theme; OR is written there for what separates choices.
func (c *Choices) drawBounds(template string) string {
	text := c.alternatives(boundsParts.Replace(boundsPlaceholders.Replace(template)))
	return strings.ReplaceAll(text, " OR ", " || ")
}
