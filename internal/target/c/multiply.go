package c

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How blocks of matrix products are computed
//
// A Multiply becomes a call of a function that is found out, the first time it runs, to be
// for AMX or not: the processor must have the instructions, and Linux let the process use
// them, which it is asked for once. The text is the same for all processors, so a library
// chooses on the machine where it runs.
//
// AMX has eight tiles of 16 rows of 64 bytes, whose numbers stand in the instructions. Four
// hold a block of 2 × 2 tiles of results, two 16 or 32 rows of X, two 16 or 32 columns of Y
// in groups: a step of four products loads four tiles. How many rows and bytes of a tile
// exist is in a configuration, so that edges are smaller tiles and nothing is read or written
// behind them. It is loaded when it changes, which takes some hundred cycles and clears the tiles:
// a rest of the reduction that fills no tile is copied to where zeros follow it (1001³ take 0.8
// of the time that a second configuration, and vectors for partial groups, need, 128 x 128 x 100
// of bfloat16 0.66). Every task of a thread
// releases the tiles at its end (tilesEnd); contexts are switched faster without them.
//
// Elsewhere results are computed four rows at a time by the dot products of dot.go, in the
// same order of the loops.

// multiply prints a Multiply.
func (k *kernel) multiply(s *loop.Multiply) {
	k.unit.usesTiles()
	list := k.sums(s)
	if len(s.Runs) > 0 {
		k.line("%s(&%s, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %d, %s, %d, %s, %d);", k.unit.multiplyWindows(s), k.tiles, map[bool]int{true: 1}[s.Add],
			k.at(s.Z, s.At), k.text(s.Stride), k.at(s.X, s.XAt), k.text(s.XStride), k.text(s.XStep),
			k.at(s.Y, s.YAt), k.text(s.YStride), k.text(s.YStep), k.text(s.Rows), k.text(s.Cols), k.text(s.Depth), list, len(s.Sums),
			k.runs(s), len(s.Runs), k.scope.name(s.Room, "buffer "+s.Room.Name), s.Room.Length*int64(s.Room.Type.Elem.Size()))
		return
	}
	if s.Room != nil {
		most := s.Room.Length * int64(s.Room.Type.Elem.Size()) / ein.PartsBlockBytes
		k.line("%s(&%s, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %d, %s, %d);", k.unit.multiplyParts(s), k.tiles, map[bool]int{true: 1}[s.Add],
			k.at(s.Z, s.At), k.text(s.Stride), k.at(s.X, s.XAt), k.text(s.XStride), k.text(s.XStep),
			k.at(s.Y, s.YAt), k.text(s.YStride), k.text(s.YStep), k.text(s.Rows), k.text(s.Cols), k.text(s.Depth), list, len(s.Sums),
			k.scope.name(s.Room, "buffer "+s.Room.Name), most)
		return
	}
	k.line("%s(&%s, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %d);", k.unit.multiplyHelper(s), k.tiles, map[bool]int{true: 1}[s.Add],
		k.at(s.Z, s.At), k.text(s.Stride), k.at(s.X, s.XAt), k.text(s.XStride), k.text(s.XStep),
		k.at(s.Y, s.YAt), k.text(s.YStride), k.text(s.Rows), k.text(s.Cols), k.text(s.Depth), list, len(s.Sums))
}

// sums prints the sums of a Multiply. Of parts they are counted in the list itself, for there may be any number.
func (k *kernel) sums(s *loop.Multiply) string {
	var sums []string
	kind := "const i64"
	for _, l := range s.Sums {
		sums = append(sums, k.text(l.Count), k.text(l.X), k.text(l.Y))
		if s.Room != nil {
			sums, kind = append(sums, "0"), "i64"
		}
	}
	if len(sums) == 0 {
		return "0"
	}
	return "(" + kind + "[]){" + strings.Join(sums, ", ") + "}"
}

// runs prints the runs of columns of a Multiply.
func (k *kernel) runs(s *loop.Multiply) string {
	var runs []string
	for _, r := range s.Runs {
		runs = append(runs, k.text(r.Count), k.text(r.Y), k.text(r.Z))
	}
	return "(const i64[]){" + strings.Join(runs, ", ") + "}"
}

// tilesBegin declares what a function knows of the configuration of tiles, if its own
// statements, not those of parallel loops in it, use any.
func (k *kernel) tilesBegin(body []loop.Stmt) (end func()) {
	uses := false
	loop.Walk(body, loop.Visitor{Stmt: func(s loop.Stmt) {
		_, isMultiply := s.(*loop.Multiply)
		uses = uses || isMultiply
	}})
	if !uses {
		return func() {}
	}
	k.unit.usesTiles()
	k.tiles = "r_tiles_set"
	k.line("i64 %s = 0;", k.tiles)
	return func() { k.line("%s", k.tilesEnd()) }
}

// tilesEnd releases the tiles of a function.
func (k *kernel) tilesEnd() string {
	return k.unit.ofSection(fmt.Sprintf("if (%s) r_tiles_end();", k.tiles))
}

// usesTiles defines what all types have in common.
func (u *unit) usesTiles() {
	if u.once("r_tiles" + u.suffix) {
		u.helpers.WriteString(u.ofSection(strings.NewReplacer(tilePairs((ein.Blocking{}).Complete())...).Replace(tilesText)))
	}
}

// tilesOf defines what configures the tiles of a Multiply, if their shape is another one than that of usesTiles.
func (u *unit) tilesOf(s *loop.Multiply) string {
	b := s.Blocking.Complete()
	if shape := tilePairs(b)[1]; shape != "" && u.once("r_tiles"+shape+u.suffix) {
		return "#if " + hasTiles + "\n" + tilesLoadText + "#endif\n"
	}
	return ""
}

// ofSection makes the functions of tiles those of the section of a library that a text is in: sections are
// compiled or left out one by one.
func (u *unit) ofSection(text string) string {
	return regexp.MustCompile(`\b(r_amx|r_amx_ask|r_tiles(?:_\d+_\d+)?|r_tiles_load(?:_\d+_\d+)?|r_tiles_copy|r_tiles_end)\(`).ReplaceAllString(text, "${1}"+u.suffix+"(")
}

// A multiplier is how elements of two types are multiplied: the instruction, the feature bit
// of the function r_amx, and the helper for dot products of the other processors.
type multiplier struct {
	instruction string
	feature     int
	dot         string
}

var signOf = map[tensor.DType]string{tensor.Int8: "s", tensor.Uint8: "u"}

func multiplierOf(x, y tensor.DType) multiplier {
	const bytes, bfloat16 = 2, 4
	switch {
	case x == tensor.BFloat16 && y == tensor.BFloat16:
		return multiplier{"tdpbf16ps", bfloat16, "@dot_bf16(a[i], x0, y0)"}
	case x == tensor.Int16 && y == tensor.Int16:
		return multiplier{"", 0, "@dot_16(a[i], ($V)x0, ($V)y0)"}
	case x == tensor.Int8 && y == tensor.Uint8:
		return multiplier{"tdpbsud", bytes, "@dot_us(a[i], ($V)y0, ($V)x0)"}
	}
	signs := signOf[x] + signOf[y]
	return multiplier{"tdpb" + signs + "d", bytes, "@dot_" + signs + "(a[i], ($V)x0, ($V)y0)"}
}

// multiplyHelper returns the name of the function for the types of a Multiply.
func (u *unit) multiplyHelper(s *loop.Multiply) string {
	x, y := s.X.Type.Elem, s.Y.Type.Elem
	name := fmt.Sprintf("r_multiply_%s_%s%s%s", x, y, unusual(s), u.suffix)
	if !u.once(name) {
		return name
	}
	m := multiplierOf(x, y)
	t := loop.Type{Elem: s.Z.Type.Elem, Lanes: max(2, u.options.VectorBytes/4)}
	text := tileText + multiplyText
	if m.instruction == "" {
		text = strings.ReplaceAll(multiplyText, hasTiles, "0")
	}
	text = u.tilesOf(s) + text
	pairs := append(blockingPairs(s), "%name", name, "%X", storedName(x), "%Y", storedName(y), "%g", fmt.Sprint(s.Group()),
		"%dot", m.dot, "%xbits", fmt.Sprint(8*x.Size()), "%amx", fmt.Sprint(m.feature), "%instruction", m.instruction)
	text = strings.NewReplacer(pairs...).Replace(text)
	text = u.ofSection(u.expand(text, t)) // defines what it uses before
	u.helpers.WriteString(text)
	return name
}

// hasTiles is true for compilers whose assemblers know the instructions.
const hasTiles = "defined(__x86_64__) && defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)"

// tilesText asks for AMX and configures tiles. Of the eight, 0 to 3 are results, 4 and 5 rows
// and 6 and 7 columns of the operands.
const tilesText = `#if ` + hasTiles + `
static __attribute__((noinline)) i64 r_amx_ask(void) {
  u32 a = 0, b, c = 0, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (a < 7) return 1;
  a = 7, c = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (!(d >> 24 & 1)) return 1;
  long status = 158; /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA) */
  __asm__ volatile("syscall" : "+a"(status) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return status ? 1 : 1 | (d >> 25 & 1) << 1 | (d >> 22 & 1) << 2;
}
/* 2: bytes, 4: bfloat16 */
static inline i64 r_amx(void) {
  static i64 known;
  i64 k = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!k) __atomic_store_n(&known, k = r_amx_ask(), __ATOMIC_RELAXED);
  return k;
}
` + tilesLoadText + `/* copies rows of at most 128 bytes: ends overlap */
static __attribute__((noinline)) void r_tiles_copy(char *to, i64 ts, const char *from, i64 fs, i64 rows, i64 bytes) {
#define R_ENDS(n) for (i64 r = 0; r < rows; r++, to += ts, from += fs) __builtin_memcpy(to, from, n), __builtin_memcpy(to + bytes - n, from + bytes - n, n)
  if (bytes >= 64) R_ENDS(64);
  else if (bytes >= 32) R_ENDS(32);
  else if (bytes >= 16) R_ENDS(16);
  else if (bytes >= 8) R_ENDS(8);
  else if (bytes >= 4) R_ENDS(4);
  else
    for (i64 r = 0; r < rows; r++, to += ts, from += fs)
      for (i64 i = 0; i < bytes; i++) to[i] = from[i];
#undef R_ENDS
}
static inline void r_tiles_end(void) { __asm__ volatile("tilerelease"); }
#define R_TILE(text, p, s) __asm__ volatile(text : : "r"(p), "r"((i64)(s)) : "memory")
#else
static inline void r_tiles_end(void) {}
#endif
`

// tilesLoadText configures tiles of some rows and columns, of which a block has 2 × 2.
const tilesLoadText = `static __attribute__((noinline)) void r_tiles_load%SHAPE(i64 rows, i64 cols, i64 groups) {
  struct { u8 palette, start, none[14]; u16 bytes[16]; u8 rows[16]; } t __attribute__((aligned(64))) = {.palette = 1};
  for (int i = 0; i < 2; i++) {
    i64 r = rows - %ROWS * i < %ROWS ? rows - %ROWS * i : %ROWS, c = cols - %COLS * i < %COLS ? cols - %COLS * i : %COLS;
    for (int j = 0; j < 2; j++) {
      i64 d = cols - %COLS * j < %COLS ? cols - %COLS * j : %COLS;
      if (r > 0 && d > 0) t.rows[2 * i + j] = r, t.bytes[2 * i + j] = 4 * d;
    }
    if (r > 0) t.rows[4 + i] = r, t.bytes[4 + i] = 4 * groups;
    if (c > 0) t.rows[6 + i] = groups, t.bytes[6 + i] = 4 * c;
  }
  __asm__ volatile("ldtilecfg %0" : : "m"(t));
}
static inline void r_tiles%SHAPE(i64 *set, i64 rows, i64 cols, i64 groups) {
  const i64 wanted = rows << 32 | cols << 16 | groups%KEY;
  if (*set != wanted) r_tiles_load%SHAPE(rows, cols, groups), *set = wanted;
}
`

// tileText computes a block of at most 2 × 2 tiles. What the sums add to the addresses is
// counted like the digits of a number.
const tileText = `#if ` + hasTiles + `
static inline __attribute__((always_inline)) void %name_step(const char *p, i64 xs, const char *q, i64 ys, int below, int right) {
  R_TILE("tileloadd (%0,%1,1), %%tmm6", q, ys);
  R_TILE("tileloadd (%0,%1,1), %%tmm4\n%instruction %%tmm6, %%tmm4, %%tmm0", p, xs);
  if (right) R_TILE("tileloadd (%0,%1,1), %%tmm7\n%instruction %%tmm7, %%tmm4, %%tmm1", q + $C{4 * %COLS}, ys);
  if (below) R_TILE("tileloadd (%0,%1,1), %%tmm5\n%instruction %%tmm6, %%tmm5, %%tmm2", p + %ROWS * xs, xs);
  if (below && right) __asm__ volatile("%instruction %tmm7, %tmm5, %tmm3");
}
static inline __attribute__((always_inline)) void %name_steps(const char *x, i64 xs, const char *y, i64 ys, i64 rows, i64 cols, i64 groups, i64 steps, i64 rest, const i64 *sums, i64 count, int below, int right) {
  i64 at[16] = {0}, l;
  char xrest[32 * 64] __attribute__((aligned(64))), yrest[16 * 128] __attribute__((aligned(64)));
  if (rest) __builtin_memset(xrest, 0, sizeof xrest), __builtin_memset(yrest, 0, sizeof yrest);
  do {
    const char *p = x, *q = y;
    for (i64 n = 0; n < steps; n++, p += 4 * groups, q += groups * ys) %name_step(p, xs, q, ys, below, right);
    if (rest) {
      r_tiles_copy(xrest, 64, p, xs, rows, rest * (i64)sizeof(%X));
      r_tiles_copy(yrest, 128, q, ys, (rest + %g - 1) / %g, 4 * cols);
      if (rest % %g)
        for (i64 c = 0; c < cols; c++) ((u32 *)(yrest + rest / %g * 128))[c] &= (1u << 32 / %g * (rest % %g)) - 1;
      %name_step(xrest, 64, yrest, 128, below, right);
    }
    for (l = count; l > 0; l--) {
      const i64 *s = sums + 3 * (l - 1), back = at[l - 1];
      const i64 on = back + 1 < s[0], move = on ? 1 : -back;
      x += move * s[1] * (i64)sizeof(%X), y += move * s[2] * (i64)sizeof(%Y);
      at[l - 1] += move;
      if (on) break;
    }
  } while (l > 0);
}
static __attribute__((noinline)) void %name_block(i64 *set, int add, $S *z, i64 zs, const char *x, i64 xs, const char *y, i64 ys, i64 rows, i64 cols, i64 depth, const i64 *sums, i64 count) {
  const int below = rows > %ROWS, right = cols > %COLS;
  const i64 groups = depth / %g, equal = (groups + $C{%GROUPS - 1}) / %GROUPS;
  i64 n = %GROUPS, steps = groups / %GROUPS, rest = depth - steps * n * %g;
  if (equal && depth % %g == 0 && groups % equal == 0) steps = equal, n = groups / steps, rest = 0;
  $S *low = z + %ROWS * zs;
  zs *= 4;
  r_tiles%SHAPE(set, rows, cols, n);
  if (add) {
    R_TILE("tileloadd (%0,%1,1), %%tmm0", z, zs);
    if (right) R_TILE("tileloadd (%0,%1,1), %%tmm1", z + %COLS, zs);
    if (below) R_TILE("tileloadd (%0,%1,1), %%tmm2", low, zs);
    if (below && right) R_TILE("tileloadd (%0,%1,1), %%tmm3", low + %COLS, zs);
  } else {
    __asm__ volatile("tilezero %tmm0");
    if (right) __asm__ volatile("tilezero %tmm1");
    if (below) __asm__ volatile("tilezero %tmm2");
    if (below && right) __asm__ volatile("tilezero %tmm3");
  }
  if (below && right) %name_steps(x, xs, y, ys, rows, cols, n, steps, rest, sums, count, 1, 1);
  else if (below) %name_steps(x, xs, y, ys, rows, cols, n, steps, rest, sums, count, 1, 0);
  else if (right) %name_steps(x, xs, y, ys, rows, cols, n, steps, rest, sums, count, 0, 1);
  else %name_steps(x, xs, y, ys, rows, cols, n, steps, rest, sums, count, 0, 0);
  R_TILE("tilestored %%tmm0, (%0,%1,1)", z, zs);
  if (right) R_TILE("tilestored %%tmm1, (%0,%1,1)", z + %COLS, zs);
  if (below) R_TILE("tilestored %%tmm2, (%0,%1,1)", low, zs);
  if (below && right) R_TILE("tilestored %%tmm3, (%0,%1,1)", low + %COLS, zs);
}
#endif
`

// multiplyText chooses, and computes without tiles. The points of a last, partial group of X
// are read one by one everywhere, for they may be the last that there are, and what else is in
// that of Y is masked.
const multiplyText = `static void %name_add($S *z, i64 zs, const %X *x, i64 xs, i64 xstep, const %Y *y, i64 ys, i64 rows, i64 cols, i64 depth, const i64 *sums, i64 count) {
  if (count > 0) {
    for (i64 n = 0; n < sums[0]; n++) %name_add(z, zs, x + n * sums[1], xs, xstep, y + n * sums[2], ys, rows, cols, depth, sums + 3, count - 1);
    return;
  }
  for (i64 r = 0; r < rows; r += %LINES)
    for (i64 c = 0; c < cols; c += $N) {
      const i64 last = rows - r < %LINES ? rows - r - 1 : $C{%LINES - 1};
      const unsigned long bytes = cols - c < $N ? 4 * (unsigned long)(cols - c) : sizeof($V);
      $V a[%LINES];
#pragma GCC unroll %LINES
      for (int i = 0; i < %LINES; i++) {
        const $S *t = z + (r + (i < last ? i : last)) * zs + c;
        if (bytes == sizeof($V)) a[i] = *(const $M *)t;
        else a[i] = ($V){}, __builtin_memcpy(&a[i], t, bytes);
      }
      for (i64 k = 0; k < depth; k += %g) {
        const int members = depth - k < %g ? depth - k : %g;
        $U y0 = {};
        if (bytes == sizeof($V)) __builtin_memcpy(&y0, y + k / %g * ys + c * %g, sizeof y0);
        else __builtin_memcpy(&y0, y + k / %g * ys + c * %g, bytes);
        if (members < %g) y0 &= (1u << 32 / %g * members) - 1;
#pragma GCC unroll %LINES
        for (int i = 0; i < %LINES; i++) {
          const %X *p = x + (r + (i < last ? i : last)) * xs + k * xstep;
          u32 w = 0;
          if (xstep == 1 && members == %g) __builtin_memcpy(&w, p, 4);
          else for (int q = 0; q < members; q++) w |= (u32)(u%xbits)p[q * xstep] << 32 / %g * q;
          const $U x0 = ($U){} + w;
          a[i] = %dot;
        }
      }
#pragma GCC unroll %LINES
      for (int i = 0; i < %LINES; i++) {
        $S *t = z + (r + (i < last ? i : last)) * zs + c;
        if (bytes == sizeof($V)) *($M *)t = a[i];
        else __builtin_memcpy(t, &a[i], bytes);
      }
    }
}
static __attribute__((noinline)) void %name(i64 *set, int add, $S *z, i64 zs, const %X *x, i64 xs, i64 xstep, const %Y *y, i64 ys, i64 rows, i64 cols, i64 depth, const i64 *sums, i64 count) {
  for (i64 n = 0; n < count; n++)
    if (sums[3 * n] < 1) depth = 0;
  i64 done = 0;
#if ` + hasTiles + `
  if (%amx && count <= 16 && xstep == 1 && depth > 0 && r_amx() & %amx) {
    done = depth;
    for (i64 r = 0; r < rows; r += $C{2 * %ROWS})
      for (i64 c = 0; c < cols; c += $C{2 * %COLS})
        %name_block(set, add, z + r * zs + c, zs, (const char *)(x + r * xs), xs * (i64)sizeof *x, (const char *)(y + c * %g), ys * (i64)sizeof *y, rows - r < $C{2 * %ROWS} ? rows - r : $C{2 * %ROWS}, cols - c < $C{2 * %COLS} ? cols - c : $C{2 * %COLS}, depth, sums, count);
  }
#endif
  (void)set;
  if (!done && !add)
    for (i64 r = 0; r < rows; r++)
      for (i64 c = 0; c < cols; c++) z[r * zs + c] = 0;
  if (!done && depth > 0) %name_add(z, zs, x, xs, xstep, y, ys, rows, cols, depth, sums, count);
}
`
