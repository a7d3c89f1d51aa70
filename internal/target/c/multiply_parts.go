package c

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How blocks of products of float32 are computed
//
// AMX multiplies bfloat16. So a Multiply of float32 makes three parts of every element and
// multiplies six pairs of these (ein/parts.go). Lines of an operand, its rows or its columns, become parts in
// panels of 32, and 32 members of the sum are a step:
//
//	parts of rows      [step][part][row / 16][row mod 16][member mod 16][member / 16]
//	parts of columns   [step][part][column / 16][member mod 16][column mod 16][member / 16]
//
// So a pair of neighbours, which the unit adds first, are members 16 apart, and lines that
// lie side by side become parts by shifts and masks alone. A step of two panels loads 14 tiles for 24 products.
//
// A pass takes some steps. Parts of all panels of one operand, of which there is less, are kept in the second-level
// cache, and those of the other one's panels pass by: each is multiplied by all that are kept. While the unit
// is busy with four products, vectors do a piece of what is to be done next, the chores: they add two rows of
// the sums before to the results, and make parts of some lines of the panel after this one. By hand, 1024³ takes
// 0.73 of the time that it needs with one after the other, and 128 rows times 1024 columns 0.65.
// The fewer panels are kept, the more steps has a pass, so that results are read and written less often.
// Chores are as evenly spread as can be: what does not fit between two products delays them.
//
// What is missing at the edges is zero, and the sums of a block go through an array of 32 x 32, from which
// those that exist are added to the results.
//
// The least and the greatest magnitude of what parts are made of are kept. Where they say that parts
// or their products could be lost, the sums of the block are looked at, or it is computed by vectors:
// so are all blocks on processors without the unit.

// multiplyParts returns the name of the function for products of float32, whose operands perhaps are not side by
// side. Without transpositions it is compiled in 0.9 of the time.
func (u *unit) multiplyParts(s *loop.Multiply) string {
	name, transposed := "r_multiply_float32", partsTransposed
	if isConst(s.XStep, 1) && isConst(s.YStep, 1) {
		name, transposed = name+"_near", ""
	}
	name += unusual(s) + u.suffix
	if u.once(name) {
		t := loop.Type{Elem: tensor.Float32, Lanes: max(2, u.options.VectorBytes/4)}
		text := strings.NewReplacer(append(blockingPairs(s), "%name", name, "%transposed", transposed)...).Replace(partsTypes + partsVectorText + partsBegin + partsBoundsText + partsText + partsProductText + partsNextText + partsMultiplyText + partsEnd)
		text = u.ofSection(u.expand(text, t)) // defines what it uses before
		u.helpers.WriteString(text)
	}
	return name
}

// partsTransposed are the first two of ten slices where lines are side by side that should be members: these
// are transposed before parts are made of them.
const partsTransposed = `
    if (w->across) {
      if (i < 2) {
        @transpose(w->part + (w->columns ? 256 : 16) * i, w->columns ? 16 : 32, p + 16 * i * w->member, w->columns ? w->line : w->member, 16, 16);
        w->slice++, count--;
        continue;
      }
      p = w->part, step = w->columns ? 16 : 32, half = w->columns ? 256 : 16, i -= 2;
    }`

// partsBegin and partsEnd have gcc optimise less, in 0.8 of the time: what counts is written as it should be done.
// Functions are not expanded in others for the same reason. What computes by vectors stands before it: without
// fused multiply-adds, which gcc makes from -O2 on, it takes 1.4 of the time.
const (
	partsBegin = `#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif
`
	partsEnd = `#if !defined(__clang__)
#pragma GCC pop_options
#endif
`
)

// hasParts is true where there are vectors to make parts by, and tiles.
const hasParts = hasTiles + ` && $BYTES == 64 && defined(__AVX512F__)`

// partsTypes are the next steps of a sum: how far they are from the first elements, and how many
// members they have. The bounds are of magnitudes as integers: of the least but 0, less 1, and of the
// greatest.
const partsTypes = `typedef struct { i64 x[%PASS], y[%PASS], members[%PASS], count; } %name_steps;
typedef struct { u32 least, most; } %name_bounds;
`

// partsBoundsText says what bounds mean for products.
const partsBoundsText = `#if ` + hasParts + `
typedef struct { $U least, most; } %name_range;
/* 0: nothing that counts is lost; 1: nothing is, of sums that are not smaller than *least; 2: perhaps */
static int %name_risk(%name_bounds x, %name_bounds y, u32 *least) {
  const u32 xmost = x.most >> 23, ymost = y.most >> 23, most = xmost > ymost ? xmost : ymost;
  if (most > 253 || xmost + ymost > 371) return 2;
  if (!x.most || !y.most) return 0;
  const u32 xleast = (x.least + 1) >> 23, yleast = (y.least + 1) >> 23;
  if (xleast >= 27 && yleast >= 27 && xleast + yleast >= 158) return 0;
  *least = (36 + (most > 127 ? most - 127 : 0)) << 23;
  return 1;
}
#endif
`

// partsText makes parts, and does chores. A slice makes parts of two of 16 lines of a tile, or all of one at an edge.
const partsText = `#if ` + hasParts + `
typedef struct {
  f32 sums[2][1024], part[512];
  f32 *z; /* two rows of results at a time, from sums s */
  const f32 *s;
  i64 zs, row, rows, cols;
  int add;
  int columns, across, far; /* parts of lines p, which go to 'to', some slices at a time */
  u16 *to;
  const f32 *p;
  const i64 *at, *members;
  i64 line, member, lines, tile, tiles, slice, each, due; /* 256 times the slices of a chore, and what is left of them */
  %name_range range;
} __attribute__((aligned(64))) %name_chores;
static __attribute__((noinline)) void %name_split(u16 *to, const f32 *p, i64 line, i64 half, i64 lines, %name_range *g) {
  const $U high = 0xffff0000u + ($U){}, magnitude = 0x7fffffffu + ($U){};
  $U least = g->least, most = g->most;
#pragma GCC unroll 2
  for (i64 l = 0; l < lines; l++, p += line, to += 32) {
    $U a = ($U)*(const $M *)p, b = ($U)*(const $M *)(p + half);
    const $U am = a & magnitude, bm = b & magnitude;
    least = @min.u32(least, @min.u32(am - 1, bm - 1));
    most = @max.u32(most, @max.u32(am, bm));
#pragma GCC unroll 2
    for (int part = 0; part < 2; part++) {
      const $U ah = (a + 0x8000u) & high, bh = (b + 0x8000u) & high;
      *($K *)(to + 1024 * part) = ($I)(ah >> 16 | bh);
      a = ($U)(($V)a - ($V)ah), b = ($U)(($V)b - ($V)bh);
    }
    *($K *)(to + 2048) = ($I)(a >> 16 | (b & high));
  }
  g->least = least, g->most = most;
}
static __attribute__((noinline)) void %name_edge(u16 *to, const f32 *p, i64 lines, i64 members, %name_chores *w) {
  __builtin_memset(w->part, 0, sizeof w->part);
  for (i64 l = 0; l < lines; l++)
    for (i64 k = 0; k < members; k++) w->part[w->columns ? 16 * k + l : 32 * l + k] = p[l * w->line + k * w->member];
  %name_split(to, w->part, w->columns ? 16 : 32, w->columns ? 256 : 16, 16, &w->range);
}
static __attribute__((noinline)) void %name_slices(%name_chores *w, i64 count) {
  while (count > 0 && w->tile < w->tiles) {
    const i64 low = w->tile & 1, lines = w->lines - 16 * low, members = w->members[w->tile >> 1];
    const f32 *p = w->p + w->at[w->tile >> 1] + 16 * low * w->line;
    u16 *to = w->to + 3072 * (w->tile >> 1) + 512 * low;
    if (w->far || lines < 16 || members < 32) {
      if (lines > 0) %name_edge(to, p, lines < 16 ? lines : 16, members, w);
      w->tile++, count -= 8;
      continue;
    }
    i64 i = w->slice, step = w->columns ? w->member : w->line, half = w->columns ? 16 * w->member : 16;%transposed
    const i64 n = 8 - i < count ? 8 - i : count;
    %name_split(to + 64 * i, p + 2 * i * step, step, half, 2 * n, &w->range);
    count -= n, w->slice += n;
    if (i + n == 8) w->slice = 0, w->tile++;
  }
}
static __attribute__((noinline)) void %name_chore(%name_chores *w) {
  for (int i = 0; i < 2 && w->row < w->rows; i++) {
    f32 *to = w->z + w->row * w->zs;
    const f32 *from = w->s + 32 * w->row++;
    if (w->cols == 32) {
      $M *t = ($M *)to;
      const $V first = *($M *)from, second = *($M *)(from + 16);
      if (w->add) t[0] += first, t[1] += second;
      else t[0] = first, t[1] = second;
    } else
      for (i64 c = 0; c < w->cols; c++) to[c] = w->add ? to[c] + from[c] : from[c];
  }
  w->due += w->each;
  if (w->due >> 8 && w->tile < w->tiles) %name_slices(w, w->due >> 8);
  w->due &= 255;
}
static __attribute__((noinline)) void %name_lines(%name_chores *w, u16 *to, const f32 *p, i64 line, i64 member, i64 lines, int columns, const %name_steps *s) {
  const i64 near = columns ? line : member, other = columns ? member : line;
  w->to = to, w->p = p, w->line = line, w->member = member, w->lines = lines < 32 ? lines : 32, w->columns = columns;
  w->at = columns ? s->y : s->x, w->members = s->members;
  w->across = near != 1 && other == 1, w->far = near != 1 && other != 1;
  w->slice = w->tile = w->due = 0, w->tiles = 2 * s->count;
  w->range = (%name_range){0xffffffffu + ($U){}, {}};
}
static __attribute__((noinline)) %name_bounds %name_made(%name_chores *w) {
  %name_slices(w, 10 * w->tiles);
  const u32 *least = (const u32 *)&w->range.least, *most = (const u32 *)&w->range.most;
  %name_bounds b = {~0u, 0};
  for (int l = 0; l < $N; l++) {
    if (least[l] < b.least) b.least = least[l];
    if (most[l] > b.most) b.most = most[l];
  }
  return b;
}
#endif
`

// partsProductText multiplies panels. Their sums are the results of the next chores, unless they are
// lost.
const partsProductText = `#if ` + hasParts + `
static __attribute__((noinline)) int %name_block(f32 *s, const u16 *x, const u16 *y, i64 rows, i64 cols, i64 count, int risk, u32 least, %name_chores *w) {
  const int below = rows > 16, right = cols > 16;
  __asm__ volatile("tilezero %tmm0\ntilezero %tmm1\ntilezero %tmm2\ntilezero %tmm3");
#define R_ROWS(part) do { R_TILE("tileloadd (%0,%1,1), %%tmm4", x + 1024 * part, 64); if (below) R_TILE("tileloadd (%0,%1,1), %%tmm5", x + 1024 * part + 512, 64); } while (0)
#define R_COLUMNS(part) do { R_TILE("tileloaddt1 (%0,%1,1), %%tmm6", y + 1024 * part, 64); if (right) R_TILE("tileloaddt1 (%0,%1,1), %%tmm7", y + 1024 * part + 512, 64); } while (0)
#define R_PRODUCTS do { \
  __asm__ volatile("tdpbf16ps %tmm6, %tmm4, %tmm0"); \
  if (right) __asm__ volatile("tdpbf16ps %tmm7, %tmm4, %tmm1"); \
  if (below) __asm__ volatile("tdpbf16ps %tmm6, %tmm5, %tmm2"); \
  if (below && right) __asm__ volatile("tdpbf16ps %tmm7, %tmm5, %tmm3"); \
  %name_chore(w); } while (0)
  for (; count > 0; count--, x += 3072, y += 3072) {
` + sixProducts + `  }
#undef R_ROWS
#undef R_COLUMNS
#undef R_PRODUCTS
  R_TILE("tilestored %%tmm0, (%0,%1,1)", s, 128);
  if (right) R_TILE("tilestored %%tmm1, (%0,%1,1)", s + 16, 128);
  if (below) R_TILE("tilestored %%tmm2, (%0,%1,1)", s + 512, 128);
  if (below && right) R_TILE("tilestored %%tmm3, (%0,%1,1)", s + 528, 128);
  if (risk && cols == 32) {
    $U low = ~0u + ($U){};
    for (i64 r = 0; r < rows; r++) low = @min.u32(low, @min.u32(($U)*($M *)(s + 32 * r) & 0x7fffffffu, ($U)*($M *)(s + 32 * r + 16) & 0x7fffffffu));
    for (int l = 0; l < $N; l++)
      if (low[l] < least) return 0;
  } else
    for (i64 r = 0; risk && r < rows; r++)
      for (i64 c = 0; c < cols; c++) {
        u32 bits;
        __builtin_memcpy(&bits, s + 32 * r + c, 4);
        if ((bits & 0x7fffffffu) < least) return 0;
      }
  return 1;
}
#endif
`

// sixProducts are those of a step: a part is loaded when the one before it was used for the last time.
const sixProducts = `    R_ROWS(0); R_COLUMNS(2); R_PRODUCTS;
    R_COLUMNS(1); R_PRODUCTS;
    R_ROWS(1); R_PRODUCTS;
    R_COLUMNS(0); R_PRODUCTS;
    R_ROWS(2); R_PRODUCTS;
    R_ROWS(0); R_PRODUCTS;
`

// partsVectorText computes a block of at most 32 columns by vectors, four rows and two vectors at a time, and four steps.
const partsVectorText = `static __attribute__((noinline)) void %name_some(int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, const %name_steps *s, i64 first, i64 count) {
  f32 block[%NEAR * 32 * 32] __attribute__((aligned(64)));
  if (cols < 32) __builtin_memset(block, 0, sizeof block);
  for (i64 n = 0; n < count; n++) {
    f32 *to = block + 1024 * n;
    const f32 *from = y + s->y[first + n];
    for (i64 k = 0; k < s->members[first + n]; k++, to += 32, from += yk)
      if (yc == 1 && cols == 32) __builtin_memcpy(to, from, 128);
      else
        for (i64 c = 0; c < cols; c++) to[c] = from[c * yc];
  }
  for (i64 r = 0; r < rows; r += %LINES)
    for (i64 c = 0; c < cols; c += $C{2 * $N}) {
      const i64 last = rows - r < %LINES ? rows - r - 1 : $C{%LINES - 1}, some = cols - c, most = some < $N ? some : $N, more = some < $N ? 0 : some < $C{2 * $N} ? some - $N : $N;
      $V a[%LINES] = {{0}}, b[%LINES] = {{0}};
      i64 at[%LINES];
      for (int i = 0; i < %LINES; i++) at[i] = (i < last ? i : last) * xs;
      for (int i = 0; add && i <= last; i++) {
        __builtin_memcpy(&a[i], z + (r + i) * zs + c, 4 * (unsigned long)most);
        __builtin_memcpy(&b[i], z + (r + i) * zs + c + most, 4 * (unsigned long)more);
      }
      for (i64 n = 0; n < count; n++) {
        const f32 *p = x + r * xs + s->x[first + n], *q = block + 1024 * n + c;
        for (i64 k = 0; k < s->members[first + n]; k++, p += xk, q += 32) {
          const $V first = *(const $M *)q, second = *(const $M *)(q + $N);
#pragma GCC unroll %LINES
          for (int i = 0; i < %LINES; i++) {
            const f32 e = p[at[i]];
            a[i] += e * first, b[i] += e * second;
          }
        }
      }
      for (int i = 0; i <= last; i++) {
        __builtin_memcpy(z + (r + i) * zs + c, &a[i], 4 * (unsigned long)most);
        __builtin_memcpy(z + (r + i) * zs + c + most, &b[i], 4 * (unsigned long)more);
      }
    }
}
static __attribute__((noinline)) void %name_vectors(int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, const %name_steps *s) {
  for (i64 n = 0; n < s->count; n += %NEAR, add = 1) %name_some(add, z, zs, x, xs, xk, y, yk, yc, rows, cols, s, n, s->count - n < %NEAR ? s->count - n : %NEAR);
}
`

// partsNextText takes steps, as many as a pass has, from the sums, which are counted like the digits of a
// number: of each there are how many, how far X and Y go on, and where it stands, which is 0 in the beginning.
const partsNextText = `static __attribute__((noinline)) i64 %name_next(%name_steps *s, i64 most, i64 *k, i64 *xo, i64 *yo, i64 xk, i64 yk, i64 depth, i64 *sums, i64 count) {
  for (s->count = 0; s->count < most;) {
    s->x[s->count] = *xo + *k * xk, s->y[s->count] = *yo + *k * yk;
    s->members[s->count++] = depth - *k < 32 ? depth - *k : 32;
    if ((*k += 32) < depth) continue;
    *k = 0;
    i64 l = count;
    for (; l > 0; l--) {
      i64 *n = sums + 4 * (l - 1);
      const i64 on = n[3] + 1 < n[0], move = on ? 1 : -n[3];
      *xo += move * n[1], *yo += move * n[2], n[3] += move;
      if (on) break;
    }
    if (!l) return 0;
  }
  return 1;
}
`

// partsMultiplyText goes over the passes. There is room for so many blocks of parts of 32 lines of 32 members: for
// the panels that are kept and two that pass by.
const partsMultiplyText = `#if ` + hasParts + `
static __attribute__((noinline)) int %name_pass(%name_chores *w, int lost, int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, const %name_steps *s, u16 *room, i64 kept, int turned) {
  %name_bounds keeps[%PANELS], passes;
  const i64 lines = turned ? rows : cols, others = turned ? cols : rows, panel = 3072 * s->count;
  u16 *passing[2] = {room + kept * panel, room + (kept + 1) * panel};
  int current = 0;
  for (i64 l = 0; l < lines; l += 32) {
    %name_lines(w, room + l / 32 * panel, turned ? x + l * xs : y + l * yc, turned ? xs : yc, turned ? xk : yk, lines - l, !turned, s);
    keeps[l / 32] = %name_made(w);
  }
  for (i64 m = -32; m < others; m += 32, current ^= 1) {
    if (m + 32 < others)
      %name_lines(w, passing[!current], turned ? y + (m + 32) * yc : x + (m + 32) * xs, turned ? yc : xs, turned ? yk : xk, others - m - 32, turned, s);
    const i64 times = 6 * s->count * ((lines + 31) / 32);
    w->each = (256 * (w->across ? 10 : 8) * w->tiles + times - 1) / times;
    for (i64 l = 0; l < lines && m >= 0; l += 32) {
      const i64 r = turned ? l : m, c = turned ? m : l, height = rows - r < 32 ? rows - r : 32, width = cols - c < 32 ? cols - c : 32;
      const u16 *held = room + l / 32 * panel;
      f32 *sums = w->sums[w->s == w->sums[0]];
      u32 least = 0;
      const int risk = %name_risk(keeps[l / 32], passes, &least);
      const int good = risk < 2 && (risk == 0 || lost < %TRIES) && %name_block(sums, turned ? held : passing[current], turned ? passing[current] : held, height, width, s->count, risk, least, w);
      while (w->row < w->rows) %name_chore(w);
      if (good) {
        w->z = z + r * zs + c, w->zs = zs, w->s = sums, w->row = 0, w->rows = height, w->cols = width, w->add = add;
        lost -= risk && lost > 0;
        continue;
      }
      lost += risk == 1 && lost < %TRIES; /* where four blocks more were in vain than not, no further one is looked at */
      %name_vectors(add, z + r * zs + c, zs, x + r * xs, xs, xk, y + c * yc, yk, yc, height, width, s);
    }
    passes = %name_made(w);
  }
  return lost;
}
#endif
static __attribute__((noinline)) void %name(i64 *set, int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, i64 depth, i64 *sums, i64 count, u16 *room, i64 most) {
  if (rows < 1 || cols < 1) return;
  i64 k = 0, xo = 0, yo = 0, more = depth > 0, all = (depth + 31) / 32, steps = %PASS;
  for (i64 n = 0; n < count; n++) {
    if (sums[4 * n] < 1) more = 0;
    all *= sums[4 * n];
  }
  if (!more && !add)
    for (i64 r = 0; r < rows; r++)
      for (i64 c = 0; c < cols; c++) z[r * zs + c] = 0;
#if ` + hasParts + `
  const i64 tiles = more && r_amx() & 4, panels = ((%TURNED ? rows : cols) + 31) / 32;
  %name_chores w;
  int lost = 0;
  w.s = w.sums[0], w.row = w.rows = w.tile = w.tiles = w.each = w.due = 0;
  if (tiles) r_tiles(set, 32, 32, 16);
  if (steps > all && all > 0) steps = all;
  while (steps > %LEAST && most / steps - 2 < panels) steps--;
  while (steps > 1 && most / steps < 3) steps--;
  i64 kept = most / steps - 2 < %PANELS ? most / steps - 2 : %PANELS;
  kept = (panels + (panels + kept - 1) / kept - 1) / ((panels + kept - 1) / kept); /* blocks of equal size */
#else
  (void)set, (void)room, (void)most;
#endif
  if (all > steps) steps = (all + (all + steps - 1) / steps - 1) / ((all + steps - 1) / steps);
  for (%name_steps s; more; add = 1) {
    more = %name_next(&s, steps, &k, &xo, &yo, xk, yk, depth, sums, count);
#if ` + hasParts + `
    if (tiles) {
      const int turned = %TURNED; /* rows are kept, columns pass by */
      for (i64 l = 0; l < (turned ? rows : cols); l += 32 * kept) {
        const i64 r = turned ? l : 0, c = turned ? 0 : l;
        lost = %name_pass(&w, lost, add, z + r * zs + c, zs, x + r * xs, xs, xk, y + c * yc, yk, yc, turned && rows - l > 32 * kept ? 32 * kept : rows - r, !turned && cols - l > 32 * kept ? 32 * kept : cols - c, &s, room, kept, turned);
      }
      continue;
    }
#endif
    for (i64 c = 0; c < cols; c += 32)
      %name_vectors(add, z + c, zs, x, xs, xk, y + c * yc, yk, yc, rows, cols - c < 32 ? cols - c : 32, &s);
  }
#if ` + hasParts + `
  while (w.row < w.rows) %name_chore(&w);
#endif
}
`
