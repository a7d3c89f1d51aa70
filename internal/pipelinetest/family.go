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
	// Contractions.
	{text: "def f(T(M,K) A, T(K,M) At, T(K,N) B, T(N,K) Bt, T(N) b) -> (C, D) { C(i,j) +=! [A(i,k)|At(k,i)] * [B(k,j)|Bt(j,k)]\n" + epilogue + " }"},
	{text: "def f(T(G,M,K) A, T(G,K,N) B, T(K,N) S) -> (C) { C(g,i,j) [+=!|+=!|max=!|min=!] A(g,i,k) [*|+] [B(g,k,j)|S(k,j)] }"},
	{text: "def f(T(M,K) A, T(K) v, T(M) u) -> ([y|z|y, z]) { y(i) +=! A(i,k) * v(k)\n z(k) +=! A(i,k) * u(i) }"},
	{text: "def f(T(M,P,K) A, T(K,N) B) -> (C) { [C(i,p,j)|C(i,j,p)|C(p,j,i)|C(j,p,i)] +=! [A(i,p,k) * B(k,j)|A(i,p,k) * B(k,j) + T(1)] }"},
	{text: "def f(T(M,P,K) A, T(P,K,N) B) -> (C) { C(i,j) +=! A(i,p,k) * B(p,k,j) }"},
	{text: "def f(T(M,K) A) -> (C) { C(i,j) +=! A(i,k) * A(j,k) }"},
	{text: "def f(T(M,K) A, T(K,N) B, T(N,P) E) -> (D) { C(i,j) +=! A(i,k) * B(k,j)\n D(i,p) +=! C(i,j) * E(j,p) }"},
	{floats: true, text: "def f(T(M,K) A, T(N,K) W, T(N) b, T(P,N) V, T(P) c) -> (Y[|, z]) { H(i,n) +=! A(i,k) * W(n,k)\n [G(i,n) = fmax(H(i,n) + b(n), T(0))|G(i,n) = tanh(H(i,n))|H(i,n) = H(i,n) + b(n)\n G(i,n) = H(i,n) * A(i,0)|s(i) +=! H(i,n)\n G(i,n) = H(i,n) - s(i)]\n L(i,p) +=! G(i,n) * V(p,n)\n Y(i,p) = L(i,p) [+|*] [c(p)|H(i,0)]\n z(i) +=! [G(i,n)|Y(i,p)|H(i,n)] }"},
	{text: "def f(T(M,K) A, T(K,N) B, T(K) d) -> (C) { C(i,j) +=! A(i,k) * B(k,j) * d(k) where [i in 0:M|j in 1:N or empty|k in 0:K/2 or empty] }"},
	// Contractions of narrow elements.
	{text: "def f([int8|uint8](G,M,K) A, [int8|uint8](K,G,M) At, [int8|uint8](K,N) B, [int8|uint8](N,K) Bt) -> (C) { C(g,i,j) +=! int32([A(g,i,k)|At(k,g,i)]) * int32([B(k,j)|Bt(j,k)]) [|where k in 0:K/2 or empty] }"},
	{text: "def f(int16(M,K) A, int16(K,M) At, int16(K,N) B, int16(N,K) Bt) -> (C) { C(i,j) +=! int32([A(i,k)|At(k,i)]) * int32([B(k,j)|Bt(j,k)]) }"},
	{text: "def f([half|bfloat16](M,K) A, [half|bfloat16](K,M) At, [half|bfloat16](K,N) B, [half|bfloat16](N,K) Bt) -> (C) { C(i,j) +=! float([A(i,k)|At(k,i)]) * float([B(k,j)|Bt(j,k)]) }"},
	{text: "def f([int8|uint8](G,P,M,K) I, [int8|uint8](N,P,Q,Q) W, [int8|uint8](G,M,K,P) J, [int8|uint8](Q,Q,P,N) V) -> (O) { O(g,n,x,y) +=! [int32(I(g,p,[x|2*x] + q,y + r)) * int32(W(n,p,q,r))|int32(J(g,[x|2*x] + q,y + r,p)) * int32(V(q,r,p,n))] }"},
	{text: "def f(bfloat16(G,P,M,K) I, bfloat16(N,P,Q,Q) W, bfloat16(G,M,K,P) J, bfloat16(Q,Q,P,N) V) -> (O) { O(g,n,x,y) +=! [float(I(g,p,[x|2*x] + [q|2*q],[y|2*y] + r)) * float(W(n,p,q,r))|float(J(g,[x|2*x] + q,[y|3*y] + r,p)) * float(V(q,r,p,n))] }"},
	// Images in narrow integers.
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float|uint64](min([127|255|300|-7], max([0|-128|9|-32768|200], [int32|int64](A(i,j)) [+|-] [int32|int64](B(i,j)) [|+ 1|- int32(A(i,j))]))) }"},
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float](min(uint64([127|255|300]), max(uint64([0|9|200]), uint64(A(i,j)) [+|-|*] uint64(B(i,j))))) }"},
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float|int32](max(d, -d) [|/ 2|+ 1|* 3|% 7]) where d = WIDE(A(i,j)) - WIDE(B(i,j)) }"},
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|float]((WIDE(A(i,j)) + WIDE(B(i,j)) [|+ 1]) / [2|3|4|-2|255]) }"},
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (s[|, r]) { s +=! max(d, -d) where d = int32(A(i,j)) - int32(B(i,j))\n r(i) +=! [int32(A(i,j))|int32(A(i,j)) * int32(B(i,j))|int32(min(int32(A(i,j)), int32(B(i,j))))|max(int32(A(i,j)) - int32(B(i,j)), int32(B(i,j)) - int32(A(i,j)))] [|where j in 1:N or empty] }"},
	{text: "def f(NARROW(M,N) A) -> (C) { s(i,j) +=! int32(A([i|2*i|4*i] + q,[j|2*j|8*j] + r)) where q in 0:[2|3], r in 0:[3|8]\n C(i,j) = [NARROW|int32|float](s(i,j) / [9|24|1|7]) }"},
	{text: "def f(NARROW(M,N) A) -> (C) { C(i,j) [max=!|min=!|+=!] [A([i|2*i] + q,[j|2*j] + r)|int32(A(i + q,j + r)) - 3] where q in 0:[2|3], r in 0:[2|3] }"},
	{text: "def f(NARROW(M,N) A) -> (C) { t(i,j) = WIDE(A(i,j)) * [3|-2|77] + WIDE(A(i,j + 1)) [- 5|]\n C(i,j) = [NARROW|float](t(i,j) [+|-] t(i + 1,j) [|* 2]) }"},
	{text: "def f(NARROW(M,N) A, NARROW(M,N) B) -> (C) { C(i,j) = [NARROW|int32](WIDE(A(i,j)) [<|==|>=] WIDE(B(i,j)) [+ 1|- 200|] ? WIDE(A(i,j)) [/ 3|% 5|+ 300|] : WIDE(B(i,j))) }"},
	{text: "def f(NARROW(M) A, NARROW([3|16|33]) h) -> (r) { r(i) +=! [int32(A(i + k)) * int32(h(k)) [|- 3]|int64(A(i + k)) * int64(h(k))|int64(h(k)) * (int64(A(i + k)) - 7)] }"},
	{text: "def f(NARROW(M) A, int32(N) B) -> (r) { r(l) +=! int64(A(i)) * int64([A|B](i + l)) where l in 0:[7|16|33] }"},
	// Pictures whose channels lie side by side.
	{text: "def f(T(M,N,[2|3|4]) A, T(M,N) B) -> (C) { C(i,j,c) = A(i,j,c) [+|-|*] [B(i,j)|A(i,j,0)|A(i,j,1)]\n [|C(i,j,c) = C(i,j,c) * A(i,j,c)] }"},
	{text: "def f(T(M,N,3) A, T(M,N) B) -> (C) { C(i,j,c) = c == [0|1|2] ? A(i,j,[0|1]) - B(i,j) : (c == 1 ? A(i,j,[1|2]) * B(i,j) : [A(i,j,2 - c)|A(i,j,0)|B(i,j)]) where c in 0:3 }"},
	{text: "def f(NARROW(M,N,[2|3|4|5]) A, NARROW(M,N) B) -> (C) { [C(i,j,c)|C(i,j,c)|C(c,i,j)] = [NARROW|NARROW|float](WIDE(A(i,j,c)) [+|-|*] WIDE([B(i,j)|A(i,j,0)|A(i,j,1)]) [|/ 3]) }"},
	// Floats of 16 bits.
	{text: "def f(half(M,N) A, half(M,N) B, half(N) c) -> (C) { C(i,j) = [A(i,j) [+|-|*|/] B(i,j)|fmax(A(i,j), c(j)) - B(i,j)|min(A(i,j) + B(i,j), A(i,j) - c(j))|-max(A(i,j), B(i,j))|fmin(fabs(A(i,j)), c(j))|max(A(i,j) * B(i,j), half(0))|fmax(A(i,j) + c(j), half(0))|A(i,j) > B(i,j) ? A(i,j) : c(j)] }"},
	{text: "def f(half(M,N) A) -> (C) { C(i,j) [max=!|min=!|+=!] A([i|2*i] + q,[j|2*j] + r) where q in 0:[2|3], r in 0:[2|3] }"},
	// Subscripts that are data, some out of range.
	{text: "def f(T(M) A, int32(N,K) J, T(N,K) V) -> (y) { [y(i) +=! A(J(i,k)) * V(i,k)|y(i,k) = A(J(i,k)) + V(i,k)|y(k,i) = A(J(i,k))|y(i,k) = V(i,k) > T(3) ? A(J(i,k) [|- 1]) : T(1)|y(i,k) = A(J(i,k)) - A(J(i,k) + 1)|y(i) max=! A(J(i,k)) where k in 0:K/2 or empty] }"},
	{text: "def f(T(M,P) A, int32(N) J) -> (y) { [y(i,p) = A(J(i),p)|y(i,p) = A(J(i),J(p)) where p in 0:N|y(p) +=! A(J(i),p)|y(i,p) = A(i,J(p)) where i in 0:M] }"},
	// Convolutions.
	{text: "def f(T(G,P,M) I, T(N,P,Q) W) -> (O) { O(g,n,x) +=! I(g,p,[x|2*x|3*x] + [q|2*q]) * W(n,p,q) }"},
	{text: "def f(T(G,P,M,K) I, T(N,P,Q,Q) W, T(N) b) -> (O) { O(g,n,x,y) +=! I(g,p,[x|2*x] + q,[y|2*y] + r) * W(n,p,q,r)\n [|O(g,n,x,y) = fmax(O(g,n,x,y) + b(n), T(0))] }"},
	{text: "def f(T(G,P,M,K) I, T(N,P,Q,Q) W) -> (O) { O(g,n,x,y) +=! pad(I(g,p,x + q - 1,y + r - 1), T([0|1])) * W(n,p,q,r) where x in 0:M, y in 0:K }"},
	{text: "def f(T(G,M,K,P) I, T(Q,Q,P,N) W) -> (O) { O(g,x,y,n) +=! I(g,x + q,y + r,p) * W(q,r,p,n) }"},
	{text: "def f(T(P,M,K) I, T(P,Q,Q) W) -> (O) { O(p,x,y) +=! I(p,x + q,y + r) * W(p,q,r) }"},
	{text: "def f(T(P,M,K) I) -> (O) { O(p,x,y) [max=!|min=!|+=!] I(p,[x|2*x] + q,[y|2*y|3*y] + r) where q in 0:[1|2|3], r in 0:[2|3] }"},
	// Padded operands, and windows that are counted backwards.
	{text: "def f(T(G,P,M,K) I, T(N,P,Q,Q) W) -> (O) { O(g,n,x,y) [+=!|max=!|min=!] pad(I(g,p,[x|2*x] [+|-] [q|2*q] [- 1|+ 1|],y [+|-] r - 1), T([0|1])) * W(n,p,q,r) where x in 0:M, y in 0:K }"},
	{text: "def f(T(P,M,K) I, T(P,M,K) J, T(N) b) -> (O) { O(n,x,y) +=! pad(I(p,x + q - 1,y - r + 1), T(0)) [*|+|-] pad(J(p,x - q + 1,y + [r|2*r]), T([0|1])) [* b(n)|] where n in 0:N, x in 0:M, y in 0:K, q in 0:3, r in 0:[2|3] }"},
	{text: "def f(T(P,M,K) I, T(P,Q,Q) W) -> (O[|, D]) { O(p,x,y) +=! pad(I(p,[x|2*x] + q - 1,y [+|-] r), T([0|-1])) * W(p,q,r) where x in 0:M, y in 0:K\n D(p,x,y) = O(p,x,y) + O(p,x,y) }"},
	{text: "def f([int8|uint8](P,M,K) I, [int8|uint8](N,P,3,3) W) -> (O) { O(n,x,y) +=! int32(pad(I(p,x + q - 1,y + r - 1), 0)) * int32(W(n,p,q,r)) where x in 0:M, y in 0:K }"},
	{text: "def f(T(P,[7|14],[7|9]) I, T(N,P,3,3) W) -> (O, D) { O(n,x,y) +=! pad(I(p,x + q - 1,y + r - 1), T(0)) * W(n,p,q,r) where x in 0:7, y in 0:7\n D(n,x,y) [+=!|max=!] pad(I(p,[x|2*x] [+|-] q,y [+|-] r - 1), T([0|1])) * W(n,p,q,r) where x in 0:7, y in 0:7 }"},
	// Transposed convolutions, phase by phase, and dilated ones.
	{text: "def f(T(P,M,K) I, T(P,N,4,4) W) -> (O) { O(n,x,a,y,b) +=! I(p,x + a + 1 - u,y + b + 1 - v) * W(p,n,1 - a + 2*u,1 - b + 2*v) where a in 0:2, b in 0:2, u in 0:2, v in 0:2, x in 0:M-2 or empty, y in 0:K-2 or empty }"},
	{text: "def f(T(P,M,K) I, T(N,P,Q,Q) W) -> (O) { O(n,x,y) +=! I(p,x + [2|3|4]*q,y + [2|3|4]*r) * W(n,p,q,r) where x in 0:M-12 or empty, y in 0:K-12 or empty }"},
	// Results and operands whose vectors interleave.
	{text: "def f(T(M,3) a, T(M,3) b) -> (c) { c(n,i) = a(n,(i + 1) % 3) * b(n,(i + 2) % 3) [|- a(n,(i + 2) % 3) * b(n,(i + 1) % 3)] where i in 0:3 }"},
	{text: "def f(T(M,N) I) -> (S) { g(y,x,a) = a == 0 ? I(y + 1,x) - I(y,x) : I(y,x + 1) - I(y,x) where a in 0:[2|3], y in 0:M-1 or empty, x in 0:N-1 or empty\n S(y,x,a,b) = g(y,x,a) [*|+] g(y,x,b) }"},
	{text: "def f(T(M,Q,Q) A, T(K,Q) x, int32(M) J) -> (y[|, z]) { y(i,a) [+=!|max=!] A(i,a,b) * x(J(i),b)\n z(i,a) = y(i,a) + y(i,a) }"},
	{text: "def f(NARROW(M,N,3) I) -> (O) { [O(y,x) = NARROW(WIDE(I(y,x,0)) + WIDE(I(y,x,1)) * 2 - WIDE(I(y,x,2)))|O(y,x,c) = [NARROW|float](WIDE(I(y,x,2 - c)) [+ c|]) where c in 0:3|O(y,x,c) = NARROW(WIDE(I(y,x,c)) + WIDE(I(y,x,0)))] }"},
	{text: "def f(T(M,Q,Q,2) A, T(M,[Q,Q|Q,P],2) B) -> (C) { C(n,i,j,c) +=! c == 0 ? A(n,i,k,0) * B(n,k,j,0) - A(n,i,k,1) * B(n,k,j,1) : A(n,i,k,0) * B(n,k,j,1) + A(n,i,k,1) * B(n,k,j,0) where c in 0:2 }"},
	{text: "def f(T(M,Q,Q) A, T(M,3,Q) B) -> (C) { C(n,i,j) [+=!|max=!] A(n,i,k) [*|+] B(n,j,k) [|* A(n,k,i)] }"},
	{text: "def f(T([9|17],M,N) F, T(M,N,[9|17]) G, T(N) w) -> (H) { r(i,j) [+=!|max=!] [F(q,i,j)|G(i,j,q)] [|* w(j)]\n H(q,i,j) = F(q,i,j) [+|*] r(i,j) }"},
	// Rows that lie end to end.
	{text: "def f(T(G,M,L) A) -> (B) { B(g,i,j) = A(g,i,j + 1) [|+ A(g,i + 1,j)] [+|-] A(g,i + 1,j + 2) }"},
	{text: "def f(T(P,M,N) A, T(Q,Q) W) -> (B) { B(p,i,j) +=! A(p,i + q,j + r) * W(q,r) }"},
	{text: "def f(T(P,M,N) A) -> (B) { B(p,i,j) = A(p + 1,i + 1,j) + A(p + 1,i + 1,j + 2) + A(p,i + 1,j + 1) + A(p + 2,i + 1,j + 1) [|+ A(p + 1,i,j + 1) + A(p + 1,i + 2,j + 1)] }"},
	// Wrapped neighbours, halves and sums over them.
	{text: "def f(T(M,N) A) -> (R) { [R +=! A(i,j) * (wrap(A(i + 1,j)) + wrap(A(i,j + 1)))|R(j) [+=!|max=!] A(i,j) + pad(A(i + 2,j), T(0))|R(i,j) = j < N / 2 ? A(i,min(j + N / 2,N - 1)) : A(i,j - N / 2) + A(i,j)|R(i,j) = A(i,j) * wrap(A(i - 1,j + 2))] where i in 0:M, j in 0:N }"},
	{text: "def f(T(M,N) A, [int32|int64](P) J) -> (B) { B(k,i,j) [=|+=] A((i + J(k)) % M,(j [+|-] J(k)) % N) where i in 0:M, j in 0:N }"},
	{text: "def f(T(M,N) A, int32(P) J) -> (y) { y(i) +=! pad(A(i,i + int64(J(k))), T(0)) [|* T(2)] where i in 0:M, k in 0:P }"},
	// What pads do not read.
	{text: "def f(T(M) A, T(M) m) -> (B) { B(i) = pad([i > 0|m(i) > T(0)|i % 2 == 0|m(i + 1) > T(0) && A(i - 1) > T(0)] ? A(i - [1|2]) [|+ A(i + 1)] : [T(1)|A(i + 2)], T([0|1])) [|* m(i)] where i in 0:M }"},
	// Long reductions with small results.
	{text: "def f(T(M,R) A, T(R,M) At, T(R,N) B, T(N,R) Bt, T(N) b) -> (C[|, D]) { C(i,j) +=! [A(i,k)|At(k,i)] * [B(k,j)|Bt(j,k)] [|where k in 1:R|where k in 0:R/2]\nD(i,j) = C(i,j) + b(j) }"},
	{text: "def f(T(G,M,R) A, T(G,R,N) B) -> (C[|, s]) { C(g,i,j) [+=!|+=!|max=!|+=] A(g,i,k) [*|*|+] B(g,k,j)\ns(g) +=! A(g,i,k) }"},
	{text: "def f(T(M,R) A) -> (C) { C(i,j) +=! A(i,k) * A(j,k) }"},
	{text: "def f([int8|uint8](M,R) A, [int8|uint8](R,N) B, [int8|uint8](N,R) Bt) -> (C) { C(i,j) +=! int32(A(i,k)) * int32([B(k,j)|Bt(j,k)]) }"},
	{text: "def f([half|bfloat16](M,R) A, [half|bfloat16](R,N) B, [half|bfloat16](N,R) Bt) -> (C) { C(i,j) +=! float(A(i,k)) * float([B(k,j)|Bt(j,k)]) }"},
	// Terms that residues choose.
	{text: "def f(T(M) A, T(N) B) -> (C) { C(i) [+=!|+=!|+=] (([i|2*i|3*i|i + 1|i / 2] [+|-] [j|2*j|3*j|j / 3]) % [2|3|4|6] == [0|1] ? pad(A((i [+|-] j [|+ 3]) / [2|3]), T([0|1])) * B(j) : T(0)) where i in [0:M|1:M+1], j in 0:N }"},
	{text: "def f(T(M,N) A, T(Q,Q) B) -> (C) { C(i,j) +=! ((i - r) % [2|3] == 0 && ([j|2*j] + s) % [2|4] == [0|1] ? pad(A((i - r) / [2|3],(j + s) / [2|4]), T(0)) * B(r,s) : T(0)) where i in [0:M|0:2*M], j in 0:N, r in 0:Q, s in 0:Q }"},
	// Subscripts whose range is known.
	{text: "def f(uint8(M) A, T(256) t) -> (y) { y(i) = t([int32(A(i))|int32(A(i)) / 2 + int32(A(i)) % 3|min(int32(A(i)), 9)|(int32(A(i)) * [3|7|77777777]) % 256|255 - int32(A(i))|A(i)|max(int32(A(i)) - 3, 0)]) [|* t(int32(A(i)))] }"},
	{text: "def f(NARROW(M,N) A, T(300) t) -> (y) { y(i) +=! t([WIDE(A(i,j)) % 300|(WIDE(A(i,j)) + 40000) % [300|256]|min(max(WIDE(A(i,j)), 0), 299)|max(WIDE(A(i,j)), -WIDE(A(i,j))) % 300|(WIDE(A(i,j)) % 100 + 200) [|/ 2]]) }"},
	// Elements some places apart.
	{text: "def f(NARROW(M,N) A) -> (C) { C(i,j) = [NARROW|float|int32](WIDE(A(i,[5|6|7|8]*j + [0|1|4])) [+|-] WIDE(A(i,[5|6|7|8]*j [|+ 2|+ 3]))) [|* (j % 3 == 0 ? 1 : 2)] }"},
	{text: "def f(T(M,N,[3|5|7|9]) A, int32(M) J) -> (y) { [y(i,j) +=! A(i,j,k)|y(i,j) = A(i,j,[0|1|2]) * A(i,j,2)|y(i,j) = j > 2 ? A(i,j,1) : A(i,j,0)|y(i,j) max=! A(J(i),j,k)|y(i,j,k) = A(i,j,2 - k) where k in 0:3] }"},
	{text: "def f(T(M,N,[3|5|6]) A, T(M,N) B) -> (y) { y(i,j,k) = k == [0|1|2] ? B(i,j) [|+ A(i,j,k)] : [A(i,j,k)|T(0)] where k in 0:[3|5] or empty }"},
	// Transpositions and streams.
	{text: "def f(T(M,N) A, T(N,M) B) -> (C) { C(i,j) = [A(j,i)|A(j,i) + B(i,j)|A(j,i) * T(2)|B(i,j) + T(1)] where i in 0:N, j in 0:M }"},
	{text: "def f(T(M,N,P) A) -> (C) { [C(j,i,p)|C(p,j,i)|C(i,p,j)|C(p,i,j)|C(j,p,i)] = A(i,j,p) }"},
	{text: "def f(T(M,N) A, T(N) b, T a) -> (C) { C(i,j) = [A(i,j) + b(j)|a * A(i,j)|A(M - 1 - i,N - 1 - j)|A(i,j)] }"},
	// Stencils and filters on images with long rows.
	{text: "def f(T(M,L) A, T(Q,Q) W) -> (B) { [B(i,j) = A(i,j) + A(i + 1,j) * T(2) + A(i,j + [1|2])|B(i,j) = A(i,j + 1) + A(i + 1,j) + A(i + 1,j + 1) + A(i + 1,j + 2) + A(i + 2,j + 1)|B(i,j) +=! A(i + q,j + r) * W(q,r)|B(i,j) max=! A(i + q,j + r) where q in 0:Q, r in 0:2] }"},
	// Scans.
	{text: "def f(T(M,N) A, T(N,M) B) -> (S) { S(i,j) scan([i|j]) [+=!|max=!|*=!|min=!] [A(i,j)|B(j,i)] }"},
	{text: "def f(T(M,N,P) A) -> (S[|, t]) { S(i,j,p) scan([i|j|p]) [+=!|max=!] A(i,j,p)\n t(i) +=! S(i,j,p) }"},
	{floats: true, text: "def f(T(M,N) A) -> (S) { e(i,j) = exp(A(i,j))\n S(i,j) scan(j) +=! e(i,j)\n [|S(i,j) = S(i,j) * T(0.5)] }"},
	// Rows.
	{floats: true, text: "def f(T(M,N) A) -> (O[|, m]) { m(i) max=! A(i,j)\n e(i,j) = exp(A(i,j) - m(i))\n s(i) +=! e(i,j)\n O(i,j) = e(i,j) / s(i) }"},
	{floats: true, text: "def f(T(M,N) A, T(N) g, T(N) b) -> (O) { u(i) +=! A(i,j)\n u(i) = u(i) / T(N)\n v(i) +=! (A(i,j) - u(i)) * (A(i,j) - u(i))\n O(i,j) = (A(i,j) - u(i)) * rsqrt(v(i) / T(N) + T(0.001)) * g(j) [+ b(j)|] }"},
	{floats: true, text: "def f(T(M,K) Q, T(N,K) X, T(N,P) V) -> (O) { s(i,j) +=! Q(i,k) * X(j,k)\n m(i) max=! s(i,j)\n e(i,j) = exp(s(i,j) - m(i))\n z(i) +=! e(i,j)\n O(i,p) +=! e(i,j) * V(j,p)\n O(i,p) = O(i,p) / z(i) }"},
	{floats: true, text: "def f(T(M,[128|257|401|512]) A, T(M) w) -> (O[|, m][|, P]) { m(i) [max|+|min]=! A(i,j)\n e(i,j) = A(i,j) [-|*] m(i)\n s(i) [+=!|max=!] e(i,j) [|* A(i,j)]\n [|s(i) = s(i) * w(i)\n ]P(i,j) = e(i,j) - s(i)\n O(i,j) = [e(i,j) * s(i)|A(i,j) + w(i)|P(i,j) + A(i,j)] }"},
	{text: "def f(T(M,N) A) -> (s, [c|m]) { s(i) +=! A(i,j)\n c(j) +=! A(i,j)\n m(i) [max|min]=! A(i,j) * A(i,j) }"},
	{text: "def f(T(M,N) A) -> (s[|, t]) { s [+=!|max=!|min=!|*=!] A(i,j)\n t [+=!|max=!] A(i,j) * s }"},
	{text: "def f(T(M,N) A) -> ([|v, ]p) { (v(i), p(i)) [argmin|argmax]=! A(i,j) }"},
	// Stencils.
	{text: "def f(T(M,N) A) -> (B) { t(i,j) = [clamp|wrap|mirror](A(i - 1,j)) + [clamp|wrap|mirror](A(i + 1,j)) + A(i,j) where i in 0:M, j in 0:N\n B(i,j) = [clamp|wrap](t(i,j - 1)) + t(i,j) [|+ clamp(t(i,j + 2))] where i in 0:M, j in 0:N }"},
	{text: "def f(T(M,N) A) -> (B) { t(i,j) = A(i,j) + A(i,j + 1) + A(i,j + 2)\n B(i,j) = t(i,j) + t(i + 1,j) + t(i + 2,j) }"},
	{text: "def f(T(M) A) -> (B) { B(i) = A((int64(i) + [1|9223372036854775807|4611686018427387904]) % int64(M)) + A((M - 1 - i) % M) where i in 0:M }"},
	// Long sums of few results.
	{text: "def f(T(M,N) A, T(M,N) B) -> (r) { [r(u) +=! A(y,x) * B(y + u,x)|r(u) +=! A(y,x) * A(y + u,x + u)|r(u) +=! A(y,x) [*|+] B(y,x + u)] where u in 0:[2|3] }"},
	{text: "def f(T(M,N,[2|3|5]) A, T([2|3|5],M,N) B) -> (r) { [r(c) +=! A(y,x,c)|r(c) +=! B(c,y,x) * B(c,y,x)|r(c) max=! A(y,x,c)|r(c) min=! B(c,y,x)] }"},
	// Sums that share factors.
	{text: "def f(T(M) a, T(N) b, T(M,N) C) -> (s[|, r]) { s +=! a(i) * b(j) * C(i,j)\n r(i) +=! a(i) * C(i,j) }"},
	{text: "def f(T(M,P) A, T(N,P) B, T(K,P) C) -> (D) { D(i,j,k) +=! A(i,p) * B(j,p) * C(k,p) }"},
	{text: "def f(T(M,N,K) A, T(N,P) B, T(K,Q) C) -> (D) { D(i,l,m) [+=!|+=] A(i,j,k) * B(j,l) * C(k,m) }"},
	{text: "def f(T(M,N) A, T(N,K) B, T(K) x) -> (y) { y(i) +=! A(i,j) * B(j,k) * x(k) [|* T(2)|* x(k)|* A(i,j)] }"},
	{text: "def f(T(M,M) A, T(M,N) B) -> (s) { [s +=! A(i,j) * A(j,k) * A(k,i)|s(i) +=! A(i,j) * A(j,k) * B(k,n)|s(i,n) +=! A(i,j) * A(i,k) * B(k,n) * B(j,n)|s(i) +=! A(i,i) * A(j,k) * B(k,n)] }"},
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
	sizes["R"] = min(int64(c.Between(950, 2600)), work/8)
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
