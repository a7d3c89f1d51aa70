package own

// besselDistant is J or Y of order 0 or 1 for x ≥ 25 by Hankel's asymptotic series, whose smallest term
// is about exp(-2x): √(2/πx)·(P·cos χ - Q·sin χ), or P·sin χ + Q·cos χ, with χ = x - (order/2 + 1/4)·π.
const besselDistant = `
  f64 p = 0, q = 0, term = 1, square = 4 * order * order;
  for (int k = 0; k < 60 && __builtin_fabs(term) > 1e-18; k++) {
    if (k & 1) q += k & 2 ? -term : term;
    else p += k & 2 ? -term : term;
    term *= (square - (f64)((2 * k + 1) * (2 * k + 1))) / ((k + 1) * 8 * x);
  }
  f64 c = @cos(x), s = @sin(x), cosine = order == 0 ? c + s : s - c, sine = order == 0 ? s - c : -s - c;
  return (second ? p * sine + q * cosine : p * cosine - q * sine) / (0x1.c5bf891b4ef6bp+0 * __builtin_sqrt(x));`

// besselJY is J or Y of order 0 or 1 at 2⁻²⁷ ≤ x. Below 25 it takes Miller's algorithm, the recurrence
// J(k-1) = 2k/x·J(k) - J(k+1) from far down, scaled by J(0) + 2·Σ J(2m) = 1, and Neumann's series for Y:
//
//	π/2·Y(0) = (log(x/2) + γ)·J(0) - 2·Σ (-1)ᵐ J(2m)/m
//	π/2·Y(1) = (log(x/2) + γ - 1)·J(1) - J(0)/x - Σ (-1)ᵐ (2m+1)/(m(m+1)) J(2m+1)
const besselJY = `
  if (x >= 25) return @bessel_distant(x, order, second);
  i32 n = 2 * (i32)(0.5 * x) + 40;
  f64 above = 0, at = 0x1p-900, norm = 0, even = 0, odd = 0;
  for (int k = n; k > 0; k--) {
    i32 m = k / 2;
    if (k & 1) { if (m > 0) odd += (m & 1 ? -at : at) * (2 * m + 1) / (m * (m + 1)); }
    else { norm += 2 * at; even += (m & 1 ? -at : at) / m; }
    f64 below = 2 * k / x * at - above;
    above = at;
    at = below;
    if (__builtin_fabs(at) > 0x1p500) { at *= 0x1p-900; above *= 0x1p-900; norm *= 0x1p-900; even *= 0x1p-900; odd *= 0x1p-900; }
  }
  norm += at;
  f64 j0 = at / norm, j1 = above / norm;
  if (!second) return order == 0 ? j0 : j1;
  f64 l = @log(0.5 * x) + 0x1.2788cfc6fb619p-1;
  return 0x1.45f306dc9c883p-1 * (order == 0 ? l * j0 - 2 * even / norm : (l - 1) * j1 - j0 / x - odd / norm);`

// ownBesselJ serves J, which is even or odd; near is its value near 0.
func ownBesselJ(order, magnitude, result, near string) string {
	return `
  f64 a = ` + magnitude + `;
  if (!(a >= 0x1p-27)) return a == a ? ` + near + ` : a;
  if (a > 0x1.fffffffffffffp1023) return 0;
  f64 value = @bessel(a, ` + order + `, 0);
  return ` + result + `;`
}

// ownBesselY serves Y, which is about 2/π·(log(x/2) + γ), or -2/(πx), near 0.
func ownBesselY(order string) string {
	near := "0x1.45f306dc9c883p-1 * (@log(x) - 0x1.dadb014541eb2p-4)"
	if order == "1" {
		near = "-0x1.45f306dc9c883p-1 / x"
	}
	return `
  if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (x < 0x1p-27) return ` + near + `;
  if (x > 0x1.fffffffffffffp1023) return 0;
  return @bessel(x, ` + order + `, 1);`
}
