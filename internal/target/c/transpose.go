package c

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// largestSquare is the size of the squares of small elements: as many rows as there
// are registers for.
const largestSquare = 16

// smallestSquare is from which size on squares are faster than their elements.
const smallestSquare = 4

// interleavedBytes is the size of vectors whose elements are interleaved in order by one
// instruction; longer ones do it in parts of this size.
const interleavedBytes = 16

// transpose prints a Transpose: whole squares of a vector register's size, or of a part
// of it where the plane is known to be narrower, go through registers.
func (k *kernel) transpose(s *loop.Transpose) {
	t := storedType(s.Dst.Type.Elem, 1)
	if size := t.Elem.Size(); k.unit.options.VectorBytes > size {
		t.Lanes = min(k.unit.options.VectorBytes/size, largestSquare)
	}
	for _, side := range []loop.Expr{s.Rows, s.Cols} {
		for n, known := constantOf(side); known && t.Lanes > 1 && int64(t.Lanes) > n; {
			t.Lanes /= 2
		}
	}
	if t.Lanes < smallestSquare {
		t.Lanes = 1
	}
	at := func(b *loop.Buffer, index loop.Expr) string {
		if isConst(index, 0) {
			return k.scope.name(b, "buffer "+b.Name)
		}
		return fmt.Sprintf("&%s[%s]", k.scope.name(b, "buffer "+b.Name), k.text(index))
	}
	dst, src := at(s.Dst, s.At), at(s.Src, s.SrcAt)
	if rows, known := constantOf(s.Rows); known && !s.Stream && rows > 1 && isConst(s.Stride, rows) && rows*int64(t.Elem.Size()) == 4 {
		t.Lanes = interleavedBytes / t.Elem.Size()
		k.line("%s(%s, %s, %s, %s);", k.unit.helper("interleave", t), dst, src, k.text(s.SrcStride), k.text(s.Cols))
		return
	}
	helper := "transpose"
	switch {
	case s.Stream && t.Lanes > 1:
		helper = "transpose_stream"
	case s.Ahead && t.Lanes > 1 && !isOneSquareHigh(s, t.Lanes):
		helper = "transpose_ahead"
	}
	k.line("%s(%s, %s, %s, %s, %s, %s);", k.unit.helper(helper, t), dst, k.text(s.Stride), src, k.text(s.SrcStride), k.text(s.Rows), k.text(s.Cols))
}

// isOneSquareHigh reports whether a plane has no rows behind those of the first squares. What lies there
// is another plane's, which is read later, if at all, and would hold up this one (3x3 layers with 512
// channels at 7 x 7 take 0.96 of the time without).
func isOneSquareHigh(s *loop.Transpose, lanes int) bool {
	rows, known := constantOf(s.Rows)
	return known && rows <= int64(lanes)
}

func isConst(e loop.Expr, value int64) bool {
	n, known := constantOf(e)
	return known && n == value
}

var transposeTemplates = map[string][]template{
	"transpose": {
		{kinds: "fiu", lanes: scalarOnly, result: "void", params: transposeParams, body: `
  for (i64 c = 0; c < cols; c++)
    for (i64 r = 0; r < rows; r++) d[c * ds + r] = s[r * ss + c];`},
		{kinds: "fiu", lanes: vectors, result: "void", params: transposeParams, body: squares("*($M *)(q + l * ds) = a[l]", "")},
	},
	"transpose_ahead": {
		{kinds: "fiu", lanes: vectors, result: "void", params: transposeParams, body: squares("*($M *)(q + l * ds) = a[l]", "__builtin_prefetch(p + ($N + l) * ss)")},
	},
	"interleave": { // 4 rows of bytes, or 2 of 16 bits
		{kinds: "iu", lanes: vectors, result: "void", params: "$S *d, const $S *s, i64 ss, i64 cols", body: `
  const int n = $C{4 / $SIZE};
  if (cols < $N) {
    for (i64 c = 0; c < cols; c++)
      for (int r = 0; r < n; r++) d[c * n + r] = s[r * ss + c];
    return;
  }
  for (i64 i = 0; i < cols; i += $N) {
    i64 c = i + $N <= cols ? i : cols - $N;
    const $S *p = s + c;
    $M *q = ($M *)(d + c * n);
    $V low = @zip_low(*(const $M *)p, *(const $M *)(p + ss)), high = @zip_high(*(const $M *)p, *(const $M *)(p + ss));
#if $SIZE == 2
    q[0] = low, q[1] = high;
#else
    p += 2 * ss;
    $V low2 = @zip_low(*(const $M *)p, *(const $M *)(p + ss)), high2 = @zip_high(*(const $M *)p, *(const $M *)(p + ss));
    q[0] = @zip_pairs_low(low, low2), q[1] = @zip_pairs_high(low, low2);
    q[2] = @zip_pairs_low(high, high2), q[3] = @zip_pairs_high(high, high2);
#endif
  }`},
	},
	"zip_low":        zip(1, 0),
	"zip_high":       zip(1, 1),
	"zip_pairs_low":  zip(2, 0),
	"zip_pairs_high": zip(2, 1),
	"transpose_stream": {
		{kinds: "fiu", lanes: vectors, result: "void", params: transposeParams, body: streamedSquares},
	},
	"square": {
		{kinds: "fiu", lanes: vectors, result: "void", params: "const $S *s, i64 ss, $V *a", body: square()},
	},
}

const transposeParams = "$S *d, i64 ds, const $S *s, i64 ss, i64 rows, i64 cols"

// zip takes runs of some elements from one half of two vectors in turn.
func zip(run, half int) []template {
	lane := fmt.Sprintf("(# / %d & 1) * $N + # / %d * %d + # %% %d + %d * $N / 2", run, 2*run, run, run, half)
	return []template{{kinds: "iu", lanes: vectors, params: "$V x, $V y", body: "  return " + shuffle("x", "y", lane) + ";"}}
}

// shuffle is a vector with lanes of two others; lane says which one it has at #.
func shuffle(x, y, lane string) string { return "@shuffle($I, " + x + ", " + y + ", $L{" + lane + "})" }

// squares is the body of a transposition by squares, row by row of the source, whose rows end in a
// store; the last ones overlap others. What is done with a row besides that, if anything, comes before.
func squares(store, before string) string {
	if before != "" {
		before = "#pragma GCC unroll 16\n      for (int l = 0; l < $N; l++) " + before + ";\n"
	}
	return `
  if (rows < $N || cols < $N) {
    @transpose.S(d, ds, s, ss, rows, cols);
    return;
  }
  for (i64 i = 0; i < rows; i += $N) {
    i64 r = i + $N <= rows ? i : rows - $N;
    for (i64 j = 0; j < cols; j += $N) {
      i64 c = j + $N <= cols ? j : cols - $N;
      $V a[$N];
      const $S *p = s + r * ss + c;
      $S *q = d + c * ds + r;
      @square(p, ss, a);
` + before + `#pragma GCC unroll 16
      for (int l = 0; l < $N; l++) ` + store + `;
    }
  }`
}

// streamedSquares writes past the caches two neighbouring vectors of a row of the result at once: with single
// lines of rows that lie far apart Granite Rapids writes 12 GB/s, with two 24, with two that others
// come between 20. So squares of one strip of rows are kept until those of the next strip are there, as many
// side by side as keep the runs long in which a row is read. More strips would be more rows than a
// prefetcher follows. Against squares that are written one by one, 8192² floats take 0.65 to 0.95 of the time,
// doubles 0.96, permutations of three indices 0.91 to 0.96, 4096² 0.96 to 1.
const streamedSquares = `
  if (rows < $N || cols < $N) {
    @transpose.S(d, ds, s, ss, rows, cols);
    return;
  }
  enum { beside = $C{256 / $BYTES} };
  for (i64 j = 0; j < cols; j += beside * $N) {
    for (i64 i = 0; i < rows; i += $C{2 * $N}) {
      const i64 first = i + $N <= rows ? i : rows - $N, second = i + $C{2 * $N} <= rows ? i + $N : rows - $N;
      $V kept[beside * $N], a[$N];
      for (int k = 0; k < beside && j + k * $N < cols; k++) {
        const i64 c = j + (k + 1) * $N <= cols ? j + k * $N : cols - $N;
        @square(s + first * ss + c, ss, kept + k * $N);
      }
      for (int k = 0; k < beside && j + k * $N < cols; k++) {
        const i64 c = j + (k + 1) * $N <= cols ? j + k * $N : cols - $N;
        $S *q = d + c * ds;
        if (first == second) {
          for (int l = 0; l < $N; l++) @stream(q + l * ds + first, kept[k * $N + l]);
          continue;
        }
        @square(s + second * ss + c, ss, a);
#pragma GCC unroll 16
        for (int l = 0; l < $N; l++) {
          @stream(q + l * ds + first, kept[k * $N + l]);
          @stream(q + l * ds + second, a[l]);
        }
      }
    }
  }`

// square reads a square and makes its columns.
func square() string {
	return "\n#if $BYTES >= 16 && (defined(__clang__) || __GNUC__ >= 12)\n" + interleavedSquare() + "#else\n" + swappedSquare() + "#endif"
}

// interleavedSquare makes columns of groups of 16 bytes of the rows by interleaving: of two rows at the distance
// h runs of h elements in turn, for each power of two h. These instructions neither need registers for masks nor
// overwrite an operand, as those do that swap blocks anywhere. In the end the columns of a group are in the order
// of reversed bits. Longer registers hold groups of two rows, whose halves are read, which leaves the port that
// shuffles free, or of four, that are put in order by shuffles of whole groups.
func interleavedSquare() string {
	const group = "(16 / $SIZE)" // elements
	var b strings.Builder
	b.WriteString(`#if $BYTES == 16
#pragma GCC unroll 16
  for (int l = 0; l < $N; l++) a[l] = *(const $M *)(s + l * ss);
#else
#pragma GCC unroll 16
  for (int l = 0; l < $C{$N / 2}; l++) {
    const $S *p = $C{s + (l % ` + group + ` + l / ` + group + ` * (2 * ` + group + `)) * ss}, *q = $C{p + ` + group + ` * ss};
    $H h[4];
    __builtin_memcpy(h, p, sizeof h[0]), __builtin_memcpy(h + 1, q, sizeof h[1]);
    __builtin_memcpy(h + 2, $C{p + $N / 2}, sizeof h[2]), __builtin_memcpy(h + 3, $C{q + $N / 2}, sizeof h[3]);
#if $BYTES == 64 && defined(__AVX512F__) && !defined(__clang__)
    typedef double whole __attribute__((vector_size(64)));
    typedef double half __attribute__((vector_size(32)));
    const whole x = __builtin_ia32_pd512_256pd((half)h[0]), y = __builtin_ia32_pd512_256pd((half)h[2]);
    a[l] = ($V)__builtin_ia32_insertf64x4_mask(x, (half)h[1], 1, x, -1), a[$C{l + $N / 2}] = ($V)__builtin_ia32_insertf64x4_mask(y, (half)h[3], 1, y, -1);
#else
    a[l] = __builtin_shufflevector(h[0], h[1], $L{#}), a[$C{l + $N / 2}] = __builtin_shufflevector(h[2], h[3], $L{#});
#endif
  }
#endif
`)
	for h := 1; h <= 8; h *= 2 {
		if h == 2 { // gcc knows the instruction only as one of words of 8 bytes
			b.WriteString("#if $BYTES == 64 && $N == 16\n  typedef i64 wide __attribute__((vector_size($BYTES)));\n" +
				rowsAtDistance("wide", "2", "0, 8, 2, 10, 4, 12, 6, 14", "1, 9, 3, 11, 5, 13, 7, 15") + "#elif " + group + " > 2\n")
		} else {
			fmt.Fprintf(&b, "#if %s > %d\n", group, h)
		}
		low := fmt.Sprintf("(# / %[1]d & 1) * $N + # / %[3]s * %[3]s + # %% %[3]s / %[2]d * %[1]d + # %% %[1]d", h, 2*h, group)
		b.WriteString(rowsAtDistance("$I", strconv.Itoa(h), "$L{"+low+"}", "$L{"+low+" + "+group+" / 2}") + "#endif\n")
	}
	even := fmt.Sprintf("(# / %[1]s / 2) * $N + # / %[1]s %% 2 * 2 * %[1]s + # %% %[1]s", group)
	b.WriteString("#if $BYTES == 64\n" + rowsAtDistance("$I", group, "$L{"+even+"}", "$L{"+even+" + "+group+"}") + "#endif\n")
	fmt.Fprintf(&b, `#if %[1]s > 2
#pragma GCC unroll 16
  for (int l = 0; l < $N; l++) {
    const int k = $C{l / %[1]s * %[1]s + ((l & 1) * (%[1]s / 2) | (l & 2) / 2 * (%[1]s / 4) | (l & 4) / 4 * (%[1]s / 8) | (l & 8) / 8 * (%[1]s / 16))};
    if (k > l) {
      const $V x = a[l];
      a[l] = a[k], a[k] = x;
    }
  }
#endif
`, group)
	return b.String()
}

// rowsAtDistance replaces each two rows at a distance by two choices of their lanes, as vectors of a type.
func rowsAtDistance(vector, distance, first, second string) string {
	return fmt.Sprintf(`#pragma GCC unroll 16
  for (int l = 0; l < $N; l++) if (!(l & $C{%[2]s})) {
    const %[1]s x = (%[1]s)a[l], y = (%[1]s)a[$C{l + %[2]s}];
    a[l] = ($V)__builtin_shufflevector(x, y, %[3]s), a[$C{l + %[2]s}] = ($V)__builtin_shufflevector(x, y, %[4]s);
  }
`, vector, distance, first, second)
}

// swappedSquare swaps the off-diagonal blocks of 2h × 2h squares, for each power of two
// h: of two rows at the distance h, the first gives its odd runs of h lanes for the even ones of the
// second. In the end columns are rows. The largest blocks are swapped by reading halves of rows,
// which leaves the port that shuffles free.
func swappedSquare() string {
	var b strings.Builder
	b.WriteString(`#if defined(__clang__) || __GNUC__ >= 12
#pragma GCC unroll 16
  for (int l = 0; l < $C{$N / 2}; l++) {
    const $S *p = s + l * ss, *q = $C{s + (l + $N / 2) * ss};
    $H h[4];
    __builtin_memcpy(h, p, sizeof h[0]), __builtin_memcpy(h + 1, q, sizeof h[1]);
    __builtin_memcpy(h + 2, $C{p + $N / 2}, sizeof h[2]), __builtin_memcpy(h + 3, $C{q + $N / 2}, sizeof h[3]);
    a[l] = __builtin_shufflevector(h[0], h[1], $L{#}), a[$C{l + $N / 2}] = __builtin_shufflevector(h[2], h[3], $L{#});
  }
#else
#pragma GCC unroll 16
  for (int l = 0; l < $N; l++) a[l] = *(const $M *)(s + l * ss);
#endif
`)
	for h := 1; h <= 8; h *= 2 {
		condition := fmt.Sprintf("$N > %d", 2*h)
		if h > 1 {
			condition += fmt.Sprintf(" || $N > %d && !defined(__clang__) && __GNUC__ < 12", h)
		}
		first := fmt.Sprintf("# & %d ? $N + (# - %[1]d) : #", h)
		second := fmt.Sprintf("# & %d ? $N + # : # | %[1]d", h)
		fmt.Fprintf(&b, "#if %s\n#pragma GCC unroll 16\n", condition)
		fmt.Fprintf(&b, "  for (int l = 0; l < $N; l++) if (!(l & %d)) {\n    const $V x = a[l], y = a[l + %d];\n", h, h)
		fmt.Fprintf(&b, "    a[l] = %s;\n    a[l + %d] = %s;\n  }\n#endif\n", shuffle("x", "y", first), h, shuffle("x", "y", second))
	}
	return b.String()
}
