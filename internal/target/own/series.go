package own

// The series of functions that targets compute on vectors, too: statements on a type $V of float32 or float64, of which nothing but the bits
// of numbers around them depends on the language.
const (
	// Exp32 and Exp64 make p exp(r) of x = n·log 2 + r, and shifted a number whose low bits are n.
	Exp32 = `  $V shifted = x * 0x1.715476p+0f + 0x1.8p23f, n = shifted - 0x1.8p23f;
  $V r = x - n * 0x1.62e4p-1f;
  r = r - n * 0x1.7f7d1cp-20f;
  $V p = 0x1.a01a02p-13f * r + 0x1.6c16c2p-10f;
  p = p * r + 0x1.111112p-7f;
  p = p * r + 0x1.555556p-5f;
  p = p * r + 0x1.555556p-3f;
  p = p * r + 0.5f;
  p = p * (r * r) + r + 1;`
	// Exp64 is that of float64.
	Exp64 = `  $V shifted = x * 0x1.71547652b82fep+0 + 0x1.8p52, n = shifted - 0x1.8p52;
  $V r = x - n * 0x1.62e42feep-1;
  r = r - n * 0x1.a39ef35793c76p-33;
  $V p = 0x1.6124613a86d09p-33 * r + 0x1.1eed8eff8d898p-29;
  p = p * r + 0x1.ae64567f544e4p-26;
  p = p * r + 0x1.27e4fb7789f5cp-22;
  p = p * r + 0x1.71de3a556c734p-19;
  p = p * r + 0x1.a01a01a01a01ap-16;
  p = p * r + 0x1.a01a01a01a01ap-13;
  p = p * r + 0x1.6c16c16c16c17p-10;
  p = p * r + 0x1.1111111111111p-7;
  p = p * r + 0x1.5555555555555p-5;
  p = p * r + 0x1.5555555555555p-3;
  p = p * r + 0.5;
  p = p * (r * r) + r + 1;`
	// Log32 and Log64 make r the logarithm of 2ᵉ·(1+f), behind a declaration of f.
	Log32 = ` s = f / (f + 2), z = s * s;
  $V p = 0x1.c71c72p-3f * z + 0x1.249250p-2f;
  p = p * z + 0x1.99999ap-2f;
  p = p * z + 0x1.555556p-1f;
  $V h = 0.5f * f * f;
  $V r = e * 0x1.62e4p-1f - ((h - (s * (h + z * p) + e * 0x1.7f7d1cp-20f)) - f);`
	// Log64 is that of float64.
	Log64 = ` s = f / (f + 2), z = s * s;
  $V p = 0x1.642c8590b2164p-4 * z + 0x1.8618618618618p-4;
  p = p * z + 0x1.af286bca1af28p-4;
  p = p * z + 0x1.e1e1e1e1e1e1ep-4;
  p = p * z + 0x1.1111111111111p-3;
  p = p * z + 0x1.3b13b13b13b14p-3;
  p = p * z + 0x1.745d1745d1746p-3;
  p = p * z + 0x1.c71c71c71c71cp-3;
  p = p * z + 0x1.2492492492492p-2;
  p = p * z + 0x1.999999999999ap-2;
  p = p * z + 0x1.5555555555555p-1;
  $V h = 0.5 * f * f;
  $V r = e * 0x1.62e42feep-1 - ((h - (s * (h + z * p) + e * 0x1.a39ef35793c76p-33)) - f);`
	// Wave makes r the rest of x by π/2, |x| < 2²⁰, z its square, and shifted a number whose low bits count the quarters.
	Wave = `  $V shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = shifted - 0x1.8p52;
  $V r = x - n * 0x1.921fb544p+0;
  r = r - n * 0x1.0b4611a6p-34;
  r = r - n * 0x1.3198a2ep-69;
  r = r - n * 0x1.b839a252049c1p-104;
  $V z = r * r;`
)
