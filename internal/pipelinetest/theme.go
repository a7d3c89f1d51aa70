package pipelinetest

import (
	"regexp"
	"strings"
)

// A theme is templates of programs that one part of the compiler treats in a special way, in
// the notation of a family. Z stands for a small number, S for one or for a size.
type theme struct {
	name      string
	templates []string
}

var themes = []theme{
	// Channels that are computed together and stored whole.
	{"woven", []string{
		"def f(T(M,N,Z) A, T(M,N) B) -> (C[|, D]) { C(i,j,c) = [c == [0|1] ? VAL : VAL|VAL|c == 0 ? VAL : (c == 1 ? VAL : VAL)] where c in 0:Z, i in 0:M, j in 0:N\n D(i,j,c) = C(i,j,Z - 1 - c) [+|-] VAL where c in 0:Z, i in 0:M, j in 0:N }",
		"def f(T(M,N,Z) A, T(M,N) B) -> (C) { t(i,j,c) = VAL where c in 0:Z, i in 0:M, j in 0:N\n C(i,j,c) = t(i,j,c) [+|*] t(i,j,[0|Z - 1 - c]) where c in 0:Z, i in 0:M, j in 0:N }",
		"def f(T(M,N,Z) A, T(M,N) B, int32 s) -> (C[|, D]) { C(i,j,c) = [s > [0|1|2]|s > c|j > s|c > s|B(i,j) > T(3)] ? VAL : [VAL|T(1)] where c in 0:Z, i in 0:M, j in 0:N\n D(i,j,c) = VAL [+|*] A(i,j,0) where c in 0:Z, i in 0:M, j in 0:N }",
		"def f(T(M,N,Z) A, T(M,N) B) -> (C) { C(i,j,c) = VAL [>|<|==|>=] VAL where c in 0:Z, i in 0:M, j in 0:N }",
		"def f(T(M,N,Z) A, T(M,N) B) -> (C) { C(i,j,c) [+=|max=|min=|*=] VAL where c in 0:Z, i in 0:M, j in 0:N\n [|C(i,j,c) = C(i,j,c) + C(i,j,[0|Z - 1 - c])] }",
		"def f(T(M,N,Z) A, T(M,N) B) -> (C, D) { C(i,j,c) = VAL where c in 0:Z, i in 0:M, j in 0:N\n D(i,j) = C(i,j,[0|1]) [+|*] B(i,j)\n }",
		"def f(T(M,N,Z) A, T(M,N,[2|3|4]) B) -> (C) { C(i,j,a,b) = A(i,j,a) [*|-|+] B(i,j,b) }",
		"def f(T(M,N,Z) A, T(Z,Z) W[|, T(Z) v]) -> (C) { C(i,j,d) +=! A(i,j,c) * W(c,d) [|where d in 1:Z or empty] }",
		"def f(NARROW(M,N,Z) A, NARROW(M,N) B) -> (C) { C(i,j,c) = [NARROW|float|bool|double|half](c == [0|1|2] ? WIDE(A(i,j,[0|1])) [+|-|*] WIDE(B(i,j)) : (c == 1 ? max(WIDE(A(i,j,[1|Z-1])), WIDE(B(i,j))) [/|*] [3|7] : [WIDE(A(i,j,0))|WIDE(B(i,j))])) where c in 0:Z, i in 0:M, j in 0:N }",
		"def f(NARROW(M,N,Z) A, float([3|4],[2|3]) W) -> (C) { C(i,j,d) +=! [NARROW|int16|uint8|float](float(A(i,j,c)) * W(d,c) + 0.5) where c in 0:2 }",
		"def f(float(M,N,Z) A, float([3|4],[2|3]) W) -> (C) { t(i,j,d) +=! A(i,j,c) * W(d,c) where c in 0:2\n C(i,j,d) = [uint8|int16|int8|bool|float|half](t(i,j,d) [|+ 0.5|* 100]) }",
		"def f(T(M,Z,N,[2|3|4]) A) -> (C) { [C(i,k,j,c) = A(i,k,j,c) * A(i,0,j,c)|C(i,j,k,c) = A(i,k,j,c)|C(i,j,c,k) = A(i,k,j,c) + A(i,0,j,0)|C(i,j,c) +=! A(i,k,j,c)] }",
		"def f(T(N,[2|3|4]) A, T(N) B, T(N) D) -> (x, y) { x(i,c) = A(i,c) [*|-] B(i)\n y(i,c) = x(i,c) [+|-] [A(i,c)|D(i)|B(i)] }",
		"def f(T(M,N) A, T(M,N) B, T(M,N) D, T(M,N) E) -> (C) { C(i,j,c) = c == 0 ? A(i,j) : (c == 1 ? B(i,j) : (c == 2 ? D(i,j) [|+ A(i,j)] : E(i,j))) where c in [0:2|0:3|0:4|1:4|0:5] }",
		"def f(T(M,N) A, T(M,N) B) -> (C) { C(i,j,c) = c == 0 ? A(i + 1,j) - A(i,j) : (c == 1 ? A(i,j + 1) * B(i,j) : (j > 2 ? A(i,j - 2) : T(1))) where c in [0:2|0:3|0:4], i in 0:M - 1 or empty, j in 0:N - 1 or empty }",
		"def f(T(M,N,Z) A) -> (C) { C(i,j,c) = c == 0 ? A(i,2*j,0) : (c == 1 ? A(i,2*j + 1,1) : A(i,2*j,1) - A(i,2*j + 1,0)) where c in 0:[2|3|4] }",
	}},
	// What is read before loops that gather.
	{"hoist", []string{
		"def f(T(N,Z) X, int32(N,S) J, T(N,S) V) -> (F) { F(p,c) [+=!|+=!|max=!] (X(J(p,s),c) - X(p,c)) [|* V(p,s)] }",
		"def f(T(N,Z) X, T(N,Z) U, int32(N,S) J, T(N,S) V) -> (F) { F(p,c) +=! [CONDITION] ? X(J(p,s),c) * U(p,c) : [U(p,c)|T(0)|V(p,s)] }",
		"def f(T(N,Z) X, T(M,N,Z) U, int32(N,S) J, T(N,S) V, int32(M) I) -> (F) { F(m,p,c) +=! [NOTFIRST] ? X(J(p,s),c) * [U(m,p,c)|U(m - 1,p,c)|pad(U(m - 1,p,c), T(0))|pad(U(m,p + 1,c), T(1))] : [U(m,p,c)|T(0)|V(p,s)] }",
		"def f(T(N,Z) X, T(M,N,Z) U, int32(N,S) J, T(N,S) V, int32(M) I) -> (F) { F(m,p,c) +=! X(J(p,s),c) * U(I(m),p,c) [|+ V(p,s)] }",
		"def f(T(N,Z) X, T(M,N,Z) U, int32(N,S) J, T(N,S) V, int32(M) I) -> (F) { F(m,p,c) +=! [X(J(p,s),c) [*|+] U(I(m) [+ 1|- 1],p,c)|V(p,s) * U(I(m) - 1,p,c)|(I(m) > [0|1|2] ? U(I(m) - 1,p,c) : T(1)) * X(J(p,s),c)] }",
		"def f(T(N,Z) X, T(N,Z) U, int32(N,S) J, int32(N) L) -> (F, G) { F(p,c) +=! X(J(p,s),c) - U(p,c)\n G(p,c) = F(p,c) + U(p,[0|c]) [|+ X(L(p),c)] }",
		"def f(T(N,Z) X, int32(N,S) J) -> (F) { F(p,c) +=! X(J(p,s),c) * X(p,[0|c|Z - 1 - c]) + X([p|min(p + 1,N - 1)],c) where c in 0:Z }",
		"def f(T(M,N,Z) X, int32(S) J) -> (F) { F(m,p,c) +=! X(J(s),p,c) [*|-] X(m,p,c) }",
		"def f(T(M,N,Z) X, int32(S) J, T(S) w) -> (F) { F(m,p,c) +=! pad(X(m + int64(J(s)) - 1,p,c), T(0)) * w(s) [|+ X(m,p,c)] where m in 0:M, p in 0:N, c in 0:Z }",
		"def f(T(N,Z) X, T(N,Z) F0, int32(N,S) J) -> (F) { F(p,c) += X(J(p,s),c) [|+ X(p,c)|* F0(p,c)] where c in 0:Z, p in 0:N }",
		"def f(T(N,Z) X, int32(N,S) J, T(S,Z) V) -> (F) { d(p,s,c) = X(J(p,s),c) - X(p,c)\n F(p) +=! d(p,s,c) * d(p,s,c) * V(s,c) }",
		"def f(T(N,Z) X, int32(N,S) J) -> (d) { d(p,s) +=! (X(J(p,s),c) - X(p,c)) * (X(J(p,s),c) - X(p,c)) }",
		"def f(T(N,Z) X, int32(N,S) J) -> (d, e) { d(p,s,c) = X(J(p,s),c) - X(p,c)\n e(p,s) = (X(J(p,s),0) [*|-] X(p,1)) + X(p,0) }",
	}},
	// Pictures and neighbours whose rows, pixels and channels are joined.
	{"stencil", []string{
		"def f(T(M,N,Z) A) -> (B[|, D]) { B(y,x,c) = A(y,x,c) NEIGHBOUR NEIGHBOUR [|NEIGHBOUR|NEIGHBOUR NEIGHBOUR]\n D(y,x,c) = B(y,x,c) + B(y,x + [1|2],c) }",
		"def f(T(M,N,Z) A, T([2|3],[2|3]) W) -> (B) { B(y,x,c) [+=!|+=!|max=!|min=!] A([y|2*y] [+ q|],x + [r|2*r],c) [*|+] W(q,r) }",
		"def f(T(M,N,Z) A, T([2|3],[2|3],Z) W) -> (B) { B(y,x,c) [+=!|+=!|max=!|min=!] A(y + q,x + r,c) [*|+] W(q,r,c) }",
		"def f(T(M,N,Z) A) -> (B) { B(y,x,c) [+=!|max=!|min=!] A(y + q,x + r [|+ 1],c) where q in [0:2|-1:2|0:3], r in [0:2|-1:2|0:3|-2:1] }",
		"def f(T(M,N,Z) A) -> (B) { B(y,x,c) [+=!|max=!|min=!] pad(A(y + q,x + [1|0],c), T(0)) + [A(y,x,c)|A(y,x + 1,c)] where q in -1:2, y in 0:M, x in 0:N - 1 or empty }",
		"def f(T(M,N,Z) A) -> (B) { B(y,x,c) = A(y,x [|+ 1],c) [+|*] A(y,x [+ 1|+ 2],c) where x in [1|2]:N - 2 or empty }",
		"def f(T(M,N,Z) A, T(M,N,Z) E) -> (B, s) { B(y,x,c) = A(y,x,c) [+|*] E(y,x [|+ 1],c)\n s [+=!|max=!] B(y,x,c) [|* B(y,x,c)] }",
		"def f(T(M,N,Z) A, T(M,N,Z) E) -> (s) { s [+=!|max=!|min=!] A(y,x,c) [*|+] E(y,x,c) [|where x in 1:N or empty] }",
		"def f(T(M,N,Z) A) -> (B) { t(y,x,c) = A(y,x,c) + A(y,x + 1,c) + A(y,x + 2,c)\n [B(y,x,c) = t(y,x,c) + t(y + 1,x,c)|B(y,x,c) = t(y,x,c) + t(y,x + 1,c)|B(y,x,c) max=! t(y + q,x + r,c) where q in 0:2, r in 0:2] }",
		"def f(T(M,N,Z) A) -> (B) { B(y,x,c) = [clamp|wrap|mirror](A(y - 1,x,c)) NEIGHBOUR + A(y,x,c) where y in 0:M }",
		"def f(T(G,M,N,Z) A, T(Z) b) -> (B) { B(g,y,x,c) = A(g,y,x,c) + A(g,y,x + 1,c) [|* b(c)] }",
		"def f(NARROW(M,N,Z) A) -> (C) { s(i,j,c) +=! int32(A(i + q,j + r,c)) where q in 0:[2|3], r in 0:[3|8]\n C(i,j,c) = [NARROW|int32|float](s(i,j,c) / [9|24|1|7]) }",
		"def f(NARROW(M,N,Z) A) -> (C) { C(i,j,c) = [NARROW|NARROW|int32|float]((WIDE(A(i,j,c)) + WIDE(A(i [|+ 1],j + 1,c)) [|+ 1|* 2]) / [2|3|4]) }",
		"def f(T(N,Z) A, T([2|3|5]) w) -> (B) { B(x,c) [+=!|max=!] A(x [+|-] k,c) * w(k) [|where x in 5:N - 5 or empty] }",
		"def f(T(N,M,[2|3],Z) A) -> (B) { B(x,y,a,c) = A(x,y,a,c) + A(x,y + 1,a,c) [|+ A(x + 1,y,a,c)] }",
		"def f(T(M,N,Z) A) -> (B) { B(y,x,c) = A(y,[2*x|2*x + 1|N - 1 - x],c) [|+ A(y,[2*x|2*x + 1],c)] where [x in 0:N/2 or empty] }",
		"def f(T(M,N,Z) A, T(M,N,Z) B) -> (C) { C(y,x,c) +=! A(y,x + k,c) * B(y,x + [k|2*k],c) where k in 0:[3|9|17] }",
	}},
	// Transpositions, those of what is computed too.
	{"transpose", []string{
		"def f(T(M,N) A[|, T(N,M) B]) -> (C) { C(j,i) = A(i,j) [|* T(2)|+ A(0,0)] }",
		"def f(T(M,N,P) A) -> (C) { [C(j,i,p)|C(p,j,i)|C(i,p,j)|C(p,i,j)|C(j,p,i)] = A(i,j,p) }",
		"def f(T(Q,M,N,Z) A) -> (C) { [C(q,c,i,j)|C(q,c,j,i)|C(c,q,i,j)|C(q,j,i,c)|C(j,q,c,i)] = A(q,i,j,c) }",
		"def f(T(Q,Z,M,N) A) -> (C) { [C(q,i,j,c)|C(q,j,i,c)|C(i,j,q,c)] = A(q,c,i,j) [|+ A(q,0,i,j)] }",
		"def f(T(M,N) A, T(N,M) B) -> (C[|, D]) { C(j,i) = A(i,j) [+|-] B(j,i)\n D(i,j) = C(j,i) [|+ A(i,j)] }",
		"def f(T(M,N) A) -> (C) { t(i,j) = A(i,j) + T(1)\n C(j,i) = t(i,j) }",
	}},
	// Long sums with few results.
	{"few", []string{
		"def f(T(W) A, T(W) B) -> (r) { r(u) [+=!|+=!|max=!|+=] A(y) [*|+] [A|B](y + u) where u in 0:[1|2|5|16|32|33] }",
		"def f(T(H,W) A, T(H,W) B) -> (r) { r(u,v) [+=!|max=!] A(y,x) [*|+] [A|B](y + u,x + v) where u in 0:[2|3], v in 0:[1|3|5] }",
		"def f(T(H,W) A, T(W) b) -> (r[|, q]) { r(y) [+=!|max=!|min=!] A(y,x) [*|+] [b(x)|A(y,x)|b(x + y)]\n q [+=!|max=!] A(y,x) }",
		"def f(T(W,Z) A, T(W) b) -> (r[|, q]) { r(c) [+=!|max=!|min=!] A(x,c) [*|+] [b(x)|A(x,c)|A(x,0)]\n q(c,d) +=! A(x,c) * A(x,d) }",
		"def f(T(Z,W) A, T(W) b) -> (r) { r(c) [+=!|max=!|min=!] A(c,x) [*|+] [b(x)|A(c,x)|A(0,x)] [|where x in 1:W|where x in 0:W/2] }",
		"def f(T(W,[2|3]) A, T(W,[2|3|4]) B) -> (r) { r(c,d) [+=!|max=!] A(x,c) [*|+] B(x,d) [|where x in 1:W] }",
		"def f(T(W) A, int32(W) J) -> (r) { r(c) +=! (J(x) == c ? A(x) : T(0)) where c in 0:[2|7|16] }",
		"def f(NARROW(W) A, [int16|int8|uint8](W) B) -> (r) { r(u) +=! [int32|int64](A(y)) * [int32|int64](B(y + u)) where u in 0:[2|8|17] }",
	}},
	// Scans along and across rows.
	{"scan", []string{
		"def f(T(M,W) A) -> (R) { R(i,j) scan(j) [+=!|max=!|min=!|*=!] A(i,j) [|* A(i,j)] }",
		"def f(T(W,Z) A) -> (R) { R(i,j) scan(i) [+=!|max=!|min=!] A(i,j) }",
		"def f(T(M,W,Z) A) -> (R[|, r]) { R(m,i,j) scan(i) [+=!|max=!|min=!] A(m,i,j)\n r(m,j) max=! R(m,i,j) }",
		"def f(T(M,W) A) -> (R) { t(i,j) = A(i,j) + T(1)\n R(i,j) scan(j) [+=!|max=!] t(i,j) }",
		"def f(T(M,N) A) -> (R) { R(i,j) scan([i,j|j|i]) [+=!|max=!] A(i,j) }",
		"def f(NARROW(M,W) A) -> (R) { R(i,j) scan(j) +=! [int32|int64](A(i,j)) }",
	}},
	// Tensors that several statements define together, and those that read what they held before.
	{"pieces", []string{
		"def f(T(N) A) -> (T(N) B[|, s]) { B(0) = [T(1)|A(0)|A(N - 1)]\n B([N - 1|0]) = T(2)\n B(i) = A(i - 1) [+|*] A(i [+ 1|+ 0]) where i in 1:N [- 1|] or empty\n B(N - 1) [=|+=] A(0)\n s [+=!|max=!] B(i) }",
		"def f(T(M,N) A) -> (B) { t(0,j) = [T(0)|A(0,j)] where j in 0:N\n t(i,j) = A(i - 1,j) [+|-] A(i,j) where i in 1:M or empty, j in 0:N\n B(i,j) = t(i,j) [*|+] [A(i,j)|t(i,[0|N - 1 - j])|t(M - 1 - i,j)] }",
		"def f(T(M,N) A) -> (T(M,N) B[|, D]) { B(0,j) = T(1)\n B(M - 1,j) = [T(2)|A(M - 1,j)]\n B(i,0) [=|max=!] A(i,0)\n B(i,N - 1) = T(3)\n B(i,j) = A(i - 1,j) [+|-] A(i,j + 1) [+|*] A(i,j) where i in 1:M - 1 or empty, j in 1:N - 1 or empty\n D(i,j) = B(i,j) + B(i,0) }",
		"def f(T(M,N) A, T(N) v) -> (T(M,N) B[|, r]) { B(i,j) = v(j) where i in 0:[1|M/2] or empty\n B(i,j) = A(i,j) [*|+] v(j) where i in [0|M/2]:M\n B(i,j) [+=|max=|=] A(i,j) where j in 0:[1|N]\n r(j) [+=!|max=!] B(i,j) }",
		"def f(T(M,N) A) -> (T(M) B) { B(0) [+=!|max=!|=] A(0,[0|0])\n B(i) [max=!|+=!] A(i,k) where i in 1:M or empty }",
		"def f(T(N) A) -> (T(N) B) { B(i) scan(i) [+=!|max=!] A(i) where i in 0:N/2 or empty\n B(i) [scan(i) +=!|=] A(i) where i in N/2:N }",
		"def f(T(N) A) -> (B) { B(i) = A(i)\n B(i) = [old(B)(i - 1) + A(i) where i in 1:N or empty|old(B)(N - 1 - i) [*|-] B(i)|clamp(old(B)(i - [1|2])) + A(i)|B(i) - old(B)([0|N - 1])] }",
		"def f(T(M,M) A) -> (B) { B(i,j) = A(i,j)\n [B(i,j) = old(B)(j,i) [|+ A(i,j)]|B(i,j) += old(B)(i,k) * A(k,j)] }",
	}},
	// Calls of calls, of parts, and for each value of an index.
	{"calls", []string{
		"def g(T(P) x) -> (y) { m [max=!|+=!] x(k)\n y(i) = x(i) [-|*] m }\ndef f(T(M,N) A) -> (B[|, C]) { B(r) = g([A(r)|g(A(r))])\n C(i,j) = B(i,j) + A(i,[0|j]) }",
		"def g(T(P) x, T w) -> (y, s) { s [+=!|max=!] x(k)\n y(i) = x(i) * w + s }\ndef f(T(M,N) A, T(M) w) -> (B, s) { (B(r), s(r)) = g([A(r)|A([0|M - 1])], w(r)) }",
		"def g(T x, T y) -> (z) { z = x * x [+|-] y }\ndef f(T(M,N) A, T(N) w) -> (B) { B(i,j) = g(A(i,j), [w(j)|A(i,j)]) }",
		"def g(T(P) x) -> (y) { y(i) = x(i) + x(i + 1) }\ndef f(T(N) A[|, T(N) C]) -> (B) { B = [g(g(A))|g(concat(A, A))|concat(g(A), A, g(g(A)))] }",
		"def g(T(P,Q) x, T(Q) v) -> (y) { y(i) +=! x(i,k) * v(k) }\ndef f(T(Z,M,N) A, T(Z,N) v) -> (B) { B(c) = g(A([c|c|Z - 1]), v([c])) }",
	}},
	// Products of indices and sizes as values.
	{"products", []string{
		"def f(float(M,N) A) -> (B) { B(i,j) = A(i,j) [*|+] [(i*N + j)|1.0/(M*N)|(2*i - j*3)|sin(0.01*(i*j))|(i*M < j*N ? 1.0 : 2.0)|(i*j % 7)|((i*N + j) / [3|M])] }",
		"def f([int32|int64|int16](M,N) A) -> ([int64|double] B) { B(i,j) = [A(i,j) [+|*] (i*N + j)|i*j*M|n - i*N|(i*N > A(i,j) ? i*j : A(i,j))] where n = M*N, i in 0:M, j in 0:N }",
	}},
	// Narrow integers and floats whose vectors are permuted.
	{"narrow", []string{
		"def f(NARROW(M,N,[2|3|4|5|6|7|8]) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float|int32](WIDE(A(i,j,[0|1])) [+|-|*] WIDE(A(i,j,1)) [|* WIDE(B(i,j))] [|/ 4]) }",
		"def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float|int32](WIDE(A(i,[2|3|4|5|6|7|8]*j + [0|1|4])) [*|+|-] WIDE(A(i,[2|5|6|7|8]*j [|+ 2|+ 3]))) [|* (j % 3 == 0 ? 1 : 2)] }",
		"def f(NARROW(M,N) A, [int16|int32|int8](M,N) B) -> (r) { r(i) +=! [int64|int32](A(i,j)) * [int64|int32](B(i,j)) [|- 3|* 2] }",
		"def f(NARROW(M,N,Z) A, NARROW(M,N,Z) B) -> (C) { C(i,j,c) = [NARROW|int32|int64](WIDE(A(i,j,c)) * WIDE(B(i,j,[c|0])) [|+ WIDE(A(i,j,0)) * 3] [|/ 255]) }",
		"def f([int32|uint32](M,N) A, [int32|uint32](M,N) B) -> (C) { C(i,j) = int64(A(i,j)) * int64(B(i,j)) [|- int64(A(i,j)) * 7|+ 5] }",
		"def f(half(M,N,Z) A, half(M,N) B) -> (C) { C(i,j,c) = A(i,j,[c|0|Z - 1 - c]) [+|*|-] B(i,j) [|+ A(i,j,1)] where c in 0:Z }",
	}},
}

// themePlaceholders stand for choices in the templates of themes.
var themePlaceholders = strings.NewReplacer(
	"VAL", "[A(i,j,c)|A(i,j,0)|A(i,j,Z - 1 - c)|B(i,j)|A(i,j,c) [*|+|-] B(i,j)|A(i,j,c) * A(i,j,[0|1])|pad(A(i,j + [1|-1],c), T(0))|pad(A(i + 1,j,c), T(1))|min(A(i,j,c), B(i,j))|T(c)]",
	"NEIGHBOUR", "[+|-|*] A(y[|| + 1],x + [1|2|3|0],c)",
	"NOTFIRST", "m > [0|1]|V(p,s) > T(2) && m > 0|J(p,s) > 0 && m > 0|s > 1 && m > 0|m > 0 && p > 1",
	"CONDITION", "V(p,s) > T(3)|J(p,s) > [0|1]|s > 1|p > 2|J(p,s) < [1|2|3]",
	"NARROW", placeholders["NARROW"], "WIDE", placeholders["WIDE"])

func allThemes() []theme { return append(themes[:len(themes):len(themes)], boundsThemes...) }

// Themes lists the names of the themes.
func Themes() []string {
	var list []string
	for _, x := range allThemes() {
		list = append(list, x.name)
	}
	return list
}

// DrawTheme draws a program of the theme with a number, and its sizes. Elements of J and L are
// subscripts below N, and those of I below M.
func DrawTheme(c *Choices, number int) (text string, sizes map[string]int64) {
	x := allThemes()[number]
	types := append([]string{"float", "float", "double", "double", "half", "bfloat16"}, integerTypes...)
	channels := []string{"2", "3", "3", "4", "4", "5"}
	if x.name == "stencil" && c.OneIn(4) {
		channels = []string{"1", "7", "8", "12", "15", "16", "17"}
	}
	if template := Pick(c, x.templates...); number < len(themes) {
		text = c.alternatives(themePlaceholders.Replace(template))
	} else {
		text = c.drawBounds(template)
	}
	for _, word := range []struct {
		name    string
		choices []string
	}{{"T", types}, {"Z", channels}, {"S", []string{"1", "2", "3", "4", "6", "9", "S"}}} {
		text = regexp.MustCompile(`\b`+word.name+`\b`).ReplaceAllString(text, Pick(c, word.choices...))
	}
	sizes = map[string]int64{
		"G": int64(c.Between(1, 3)), "Q": int64(c.Between(1, 3)), "S": int64(c.Between(0, 7)), "P": int64(c.Between(1, 40)), "s": int64(c.Between(-2, 4)),
		"H": Pick(c, int64(1), 2, 3, 5, 9), "W": Pick(c, int64(1), 17, 300, 1000, 2049, 5000, 9001, 16411),
		"M": Pick(c, int64(1), 2, 3, 4, 5, 8, 9), "N": Pick(c, int64(1), 2, 3, 7, 8, 15, 16, 17, 31, 33, 47, 64, 65, 97, 128, 131, 257, 300),
	}
	if x.name == "transpose" {
		sizes["M"], sizes["N"] = Pick(c, int64(1), 5, 16, 31, 32, 33, 64, 70, 96, 100, 129, 161), Pick(c, int64(1), 7, 16, 17, 40, 63, 64, 65, 80, 128, 130, 200)
	}
	if c.OneIn(30) {
		sizes["N"] = 0
	}
	return text, sizes
}
