package tc

import "testing"

// TestHelpsMean follows helps of warnings literally, and evaluates what the author meant: a help that silences a warning and
// leaves a wrong result is worse than none.
func TestHelpsMean(t *testing.T) {
	for _, c := range []struct {
		program      string
		pieces       []string // of the help and of the mended program
		mended       string
		inputs, want map[string]string
	}{
		// E0315
		{"def f(float(H,W) u) -> (t) { t +=! fabs(u(i+1,j)-u(i,j)) + fabs(u(i,j+1)-u(i,j)) }", []string{"pad(fabs(u(i,j+1)-u(i,j)), 0)"},
			"def f(float(H,W) u) -> (t) { t +=! pad(fabs(u(i+1,j)-u(i,j)), 0) + pad(fabs(u(i,j+1)-u(i,j)), 0) }",
			map[string]string{"u": "2,2: 1 5 2 9"}, map[string]string{"t": ": 16"}},
		{"def f(float(N) p, float(N) q) -> (H) { H +=! p(i)*p(i)/2 + d*d/2 where d = q(i+1) - q(i) }", []string{"pad(d*d, 0)"},
			"def f(float(N) p, float(N) q) -> (H) { H +=! p(i)*p(i)/2 + pad(d*d, 0)/2 where d = q(i+1) - q(i) }",
			map[string]string{"p": "3: 2 0 4", "q": "3: 5 7 3"}, map[string]string{"H": ": 20"}},
		{"def f(float(N) x) -> (s) { s +=! x(i) + x(i+1)*x(i) - 2*x(i+2) }", []string{"pad(x(i+1)*x(i), 0)", "pad(x(i+2), 0)"},
			"def f(float(N) x) -> (s) { s +=! x(i) + pad(x(i+1)*x(i), 0) - 2*pad(x(i+2), 0) }",
			map[string]string{"x": "3: 1 2 3"}, map[string]string{"s": ": 8"}},
		{"def f(int(N) p) -> (s) { s(i) = p(i) + (p(i) == 10 ? p(i+1) + p(i+2) : 0) }", []string{"pad(p(i+1), 0)", "pad(p(i+2), 0)"},
			"def f(int(N) p) -> (s) { s(i) = p(i) + (p(i) == 10 ? pad(p(i+1), 0) + pad(p(i+2), 0) : 0) }",
			map[string]string{"p": "4: 10 3 4 10"}, map[string]string{"s": "4: 17 3 4 10"}},
		// E0208, E0221, E0230
		{"def f(uint8(N) b) -> (int64 c) { c +=! int64(b(k) << (20*k)) }", []string{"int64(b(k)) << (20*k)"},
			"def f(uint8(N) b) -> (int64 c) { c +=! int64(b(k)) << (20*k) }",
			map[string]string{"b": "3: 1 2 3"}, map[string]string{"c": ": 3298536980481"}},
		{"def f(uint8(N) b, int64(N) d) -> (c) { c(i) = d(i) + (b(i) << 40) }", []string{"int64(b(i)) << 40"},
			"def f(uint8(N) b, int64(N) d) -> (c) { c(i) = d(i) + (int64(b(i)) << 40) }",
			map[string]string{"b": "1: 1", "d": "1: 5"}, map[string]string{"c": "1: 1099511627781"}},
		{"def f(uint8(N) b) -> (int64(N) c) { c(i) = b(i) << 40 }", []string{"int64(b(i)) << 40"},
			"def f(uint8(N) b) -> (int64(N) c) { c(i) = int64(b(i)) << 40 }",
			map[string]string{"b": "1: 1"}, map[string]string{"c": "1: 1099511627776"}},
		{"def f(uint8(N) a, uint8(N) b) -> (uint32(N) c) { c(i) = a(i)*a(i) + b(i)*b(i) }", []string{"uint32(a(i))*a(i) + uint32(b(i))*b(i)"},
			"def f(uint8(N) a, uint8(N) b) -> (uint32(N) c) { c(i) = uint32(a(i))*a(i) + uint32(b(i))*b(i) }",
			map[string]string{"a": "1: 200", "b": "1: 100"}, map[string]string{"c": "1: 50000"}},
		{"def f(uint16(N) a) -> (s) { s +=! sqrt(a(i)*a(i)) }", []string{"int64(a(i))*a(i)"},
			"def f(uint16(N) a) -> (s) { s +=! sqrt(int64(a(i))*a(i)) }",
			map[string]string{"a": "1: 65535"}, map[string]string{"s": ": 65535"}},
		{"def f(uint8(N) a, uint8(N) b) -> (uint8(N) c) { c(i) = (a(i) + b(i))/2 }", []string{"c(i) = uint8((int32(a(i)) + b(i))/2)"},
			"def f(uint8(N) a, uint8(N) b) -> (uint8(N) c) { c(i) = uint8((int32(a(i)) + b(i))/2) }",
			map[string]string{"a": "1: 200", "b": "1: 100"}, map[string]string{"c": "1: 150"}},
		{"def f(uint8(N) x, uint8(N) y) -> (d) { d +=! x(i) > y(i) ? x(i) - y(i) : y(i) - x(i) }", []string{"d +=! x(i) > y(i) ? int32(x(i)) - y(i) : int32(y(i)) - x(i)"},
			"def f(uint8(N) x, uint8(N) y) -> (d) { d +=! x(i) > y(i) ? int32(x(i)) - y(i) : int32(y(i)) - x(i) }",
			map[string]string{"x": "2: 200 0", "y": "2: 0 200"}, map[string]string{"d": ": 400"}},
		{"def f(uint8(N) I) -> (float(N) g) { g(i) = -I(i) + I(i)*I(i) - 2*I(i) - 3*I(i) where exists I(i) }", []string{"-int32(I(i)) + int32(I(i))*I(i) - 2*int32(I(i)) - 3*int32(I(i))"},
			"def f(uint8(N) I) -> (float(N) g) { g(i) = -int32(I(i)) + int32(I(i))*I(i) - 2*int32(I(i)) - 3*int32(I(i)) where exists I(i) }",
			map[string]string{"I": "1: 100"}, map[string]string{"g": "1: 9400"}},
		{"def f(uint8(N,M) Image) -> (float(N,M) g) { g(i,j) = Image(i,j)*Image(i,j) + Image(i,j)*Image(i,j) + Image(i,j)*Image(i,j) + Image(i,j)*Image(i,j) }", []string{"int32(Image(i,j))"}, // a rule
			"def f(uint8(N,M) Image) -> (float(N,M) g) { g(i,j) = int32(Image(i,j))*int32(Image(i,j)) + int32(Image(i,j))*int32(Image(i,j)) + int32(Image(i,j))*int32(Image(i,j)) + int32(Image(i,j))*int32(Image(i,j)) }",
			map[string]string{"Image": "1,1: 100"}, map[string]string{"g": "1,1: 40000"}},
		{"def f(uint32(N) d, uint32(N) s) -> (int64(N) t) { t(i) = d(i)*86400 + s(i) }", []string{"t(i) = int64(d(i))*86400 + s(i)"},
			"def f(uint32(N) d, uint32(N) s) -> (int64(N) t) { t(i) = int64(d(i))*86400 + s(i) }",
			map[string]string{"d": "1: 100000", "s": "1: 5"}, map[string]string{"t": "1: 8640000005"}},
		{"def f(uint8(N) x) -> (uint8 y) { y max=! x(i)*x(i)/2 }", []string{"int32(x(i))*x(i)", "int32"}, "def f(uint8(N) x) -> (int32 y) { y max=! int32(x(i))*x(i)/2 }",
			map[string]string{"x": "2: 30 2"}, map[string]string{"y": ": 450"}},
		{"def f(uint8(N) x) -> (uint8(N) y) { y(i) = min(x(i) + 100, 255) }", []string{"y(i) = uint8(min(int32(x(i)) + 100, 255))"}, "def f(uint8(N) x) -> (uint8(N) y) { y(i) = uint8(min(int32(x(i)) + 100, 255)) }",
			map[string]string{"x": "2: 200 1"}, map[string]string{"y": "2: 255 101"}},
		{"def f(uint8(N) x) -> (uint8(N) y) { y(i) = max(x(i)*x(i), 9) }", []string{"int32(x(i))*x(i)", "int32"}, "def f(uint8(N) x) -> (int32(N) y) { y(i) = max(int32(x(i))*x(i), 9) }",
			map[string]string{"x": "2: 30 2"}, map[string]string{"y": "2: 900 9"}},
		// E0211
		{"def f(int16(N) x) -> (y) { y(i) = x(i)/32768 }", []string{"x(i)/32768.0"}, "def f(int16(N) x) -> (y) { y(i) = x(i)/32768.0 }",
			map[string]string{"x": "2: 16384 -32768"}, map[string]string{"y": "2: 0.5 -1"}},
		{"def f(uint8(N) x) -> (y) { y(i) = (x(i) - 128)/256 }", []string{"(int32(x(i)) - 128)/256.0"}, "def f(uint8(N) x) -> (y) { y(i) = (int32(x(i)) - 128)/256.0 }",
			map[string]string{"x": "2: 0 192"}, map[string]string{"y": "2: -0.5 0.25"}},
		{"def f(uint8(N) x) -> (y) { y(i) = (x(i))/0x100 }", []string{"float32(x(i))/0x100"}, "def f(uint8(N) x) -> (y) { y(i) = float32(x(i))/0x100 }",
			map[string]string{"x": "1: 64"}, map[string]string{"y": "1: 0.25"}},
		{"def f(uint8(N) x) -> (y) { y(i) = 300/x(i) }", []string{"300.0/x(i)"}, "def f(uint8(N) x) -> (y) { y(i) = 300.0/x(i) }",
			map[string]string{"x": "1: 200"}, map[string]string{"y": "1: 1.5"}},
		{"def f(int16(N) x) -> (y) { y(i) = x(i)*100/32768 }", []string{"int32(x(i))*100/32768"}, "def f(int16(N) x) -> (y) { y(i) = int32(x(i))*100/32768 }",
			map[string]string{"x": "1: 16384"}, map[string]string{"y": "1: 50"}},
		// E0222
		{"def f(uint8(N) q) -> (y) { y(i) = (33 - q(i))/10*1.5 }", []string{"float32(33 - int32(q(i)))/10"}, "def f(uint8(N) q) -> (y) { y(i) = float32(33 - int32(q(i)))/10*1.5 }",
			map[string]string{"q": "1: 43"}, map[string]string{"y": "1: -1.5"}},
		// E0418
		{"def f(float(N) x) -> (y) { y(i) +=! 2*x(i)/s where s = 1*x(j) }", []string{"t +=! 1*x(j)", "t"}, "def f(float(N) x) -> (y) { t +=! 1*x(j)  y(i) +=! 2*x(i)/t }",
			map[string]string{"x": "2: 1 3"}, map[string]string{"y": "2: 0.5 1.5"}},
		{"def f(float(N) x, float(K) h) -> (y) { y(i) +=! x(i)/(h(k)*h(k)) }", []string{"s +=! h(k)*h(k)", "s"}, "def f(float(N) x, float(K) h) -> (y) { s +=! h(k)*h(k)  y(i) +=! x(i)/s }",
			map[string]string{"x": "1: 5", "h": "2: 1 3"}, map[string]string{"y": "1: 0.5"}},
		{"def f(float(N) x, float(K) h) -> (y) { y(i) +=! x(i)/(h(k)*h(k)) }", []string{"1/(h(k)*h(k))"}, "def f(float(N) x, float(K) h) -> (y) { s +=! 1/(h(k)*h(k))  y(i) = x(i)*s }",
			map[string]string{"x": "1: 8", "h": "2: 1 2"}, map[string]string{"y": "1: 10"}},
		{"def f(float(N) x, float(K) h, float r) -> (y) { y(i) +=! x(i)/(h(k)*h(k) + r) }", []string{"s +=! h(k)*h(k)", "(s + r)"}, "def f(float(N) x, float(K) h, float r) -> (y) { s +=! h(k)*h(k)  y(i) +=! x(i)/(s + r) }",
			map[string]string{"x": "1: 6", "h": "2: 1 3", "r": ": 2"}, map[string]string{"y": "1: 0.5"}},
		{"def f(float(N) x, float r) -> (y) { y(i) +=! x(i)/(n - r) where n = sqrt(x(k)*x(k)) }", []string{"s +=! x(k)*x(k)", "(sqrt(s) - r)"},
			"def f(float(N) x, float r) -> (y) { s +=! x(k)*x(k)  y(i) +=! x(i)/(sqrt(s) - r) }",
			map[string]string{"x": "2: 3 4", "r": ": 1"}, map[string]string{"y": "2: 0.75 1"}},
		{"def f(float(N) x, float s) -> (y) { y(i) +=! s*x(i)/(10 - x(k)) where k in 1:N }", []string{"t +=! x(k) where k in 1:N", "(10 - t)"},
			"def f(float(N) x, float s) -> (y) { t +=! x(k) where k in 1:N  y(i) +=! s*x(i)/(10 - t) }",
			map[string]string{"x": "3: 7 2 3", "s": ": 5"}, map[string]string{"y": "3: 7 2 3"}},
		{"def f(float(N) x) -> (y) { y(i) +=! 50*x(i)/(h*h) where h = x(k) + 1 }", []string{"s +=! (x(k) + 1)*(x(k) + 1)", "s"},
			"def f(float(N) x) -> (y) { s +=! (x(k) + 1)*(x(k) + 1)  y(i) +=! 50*x(i)/s }",
			map[string]string{"x": "2: 2 3"}, map[string]string{"y": "2: 4 6"}},
		// E0301, E0307, E0315 and E0415: one must not silence the other
		{"def f(float(3,4) M, float(N,3) p) -> (q) { q(n,i) +=! M(i,j)*p(n,j) + M(i,3) }", []string{"where j in 0:3", "q(n,i) += M(i,3)"},
			"def f(float(3,4) M, float(N,3) p) -> (q) { q(n,i) +=! M(i,j)*p(n,j) where j in 0:3  q(n,i) += M(i,3) }",
			map[string]string{"M": "3,4: 1 0 0 5 0 1 0 6 0 0 1 7", "p": "1,3: 1 2 3"}, map[string]string{"q": "1,3: 6 8 10"}},
		{"def f(float(N) x, float c) -> (s) { s +=! 0.5*(x(i) + x(i+1) + c)/2 }", []string{"where i in 0:N - 1", "s += 0.5*c/2"},
			"def f(float(N) x, float c) -> (s) { s +=! 0.5*(x(i) + x(i+1))/2 where i in 0:N - 1  s += 0.5*c/2 }",
			map[string]string{"x": "3: 1 2 5", "c": ": 8"}, map[string]string{"s": ": 4.5"}},
		{"def f(float(N) x, float(N) w, float b) -> (s) { s +=! (w(i)*x(i) + d)*3 where d = b/2 }", []string{"s += (b/2)*3"},
			"def f(float(N) x, float(N) w, float b) -> (s) { s +=! (w(i)*x(i))*3  s += (b/2)*3 }",
			map[string]string{"x": "2: 1 2", "w": "2: 3 4", "b": ": 4"}, map[string]string{"s": ": 39"}},
		{"def f(float(N) A, float b) -> (y) { y(i) +=! A(i+k) + b }", []string{"where k in 0:3", "y(i) += b"}, "def f(float(N) A, float b) -> (y) { y(i) +=! A(i+k) where k in 0:3  y(i) += b }",
			map[string]string{"A": "3: 1 2 3", "b": ": 4"}, map[string]string{"y": "1: 10"}},
		// E0225
		{"def f(float(N) x) -> (y) { y(i) = 0.5 + ((x(i) + 1) << 2) }", []string{"(x(i) + 1)*4"}, "def f(float(N) x) -> (y) { y(i) = 0.5 + ((x(i) + 1)*4) }",
			map[string]string{"x": "1: 2"}, map[string]string{"y": "1: 12.5"}},
		{"def f(float(N) x, int n) -> (y) { y(i) = x(i) >> n }", []string{"x(i)/pow(2, n)"}, "def f(float(N) x, int n) -> (y) { y(i) = x(i)/pow(2, n) }",
			map[string]string{"x": "1: 2", "n": ": 3"}, map[string]string{"y": "1: 0.25"}},
		// E0406, E0212
		{"def f(float(R,C) A) -> (m, r, c) { (m, r, c) argmin=! A(r,c) }", []string{"(m, r, c) argmin=! A(i,j)"}, "def f(float(R,C) A) -> (m, r, c) { (m, r, c) argmin=! A(i,j) }",
			map[string]string{"A": "2,2: 3 1 2 4"}, map[string]string{"m": ": 1", "r": ": 0", "c": ": 1"}},
		{"def f(float(N) x) -> (i) { i argmax=! x(i) + 0.5*x(i) }", []string{"i argmax=! x(j) + 0.5*x(j)"}, "def f(float(N) x) -> (i) { i argmax=! x(j) + 0.5*x(j) }",
			map[string]string{"x": "3: 1 4 2"}, map[string]string{"i": ": 1"}},
	} {
		follow(t, "", c.program, c.pieces, c.mended)
		got, err := evaluate(t, c.mended, c.inputs)
		if err != nil {
			t.Errorf("%s\n%v", c.mended, err)
			continue
		}
		for name, want := range c.want {
			if value := formatArray(got[name]); value != want {
				t.Errorf("%s\n%s = %s, want %s", c.mended, name, value, want)
			}
		}
	}
}
