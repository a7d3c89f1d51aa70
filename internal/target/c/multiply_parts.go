package c

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How blocks of products of float32 are computed
//
// AMX multiplies bfloat16. So a Multiply of float32 makes three parts of every element and
// multiplies six pairs of these (ein/parts.go). A pass takes 128 members of the sum, all its
// columns in blocks, of which the parts have room, and 32 rows at a time: their parts, 24 KB, stay in
// the first-level cache while the columns' pass by, which are made once and leave it first (tileloaddt1). 32 members are a step:
//
//	parts of rows      [step][part][row / 16][row mod 16][member mod 16][member / 16]
//	parts of columns   [step][part][column / 16][member mod 16][column mod 16][member / 16]
//
// So a pair of neighbours, which the unit adds first, are members 16 apart, and rows of the sum that
// lie side by side become parts by shifts and masks alone. A step loads 14 tiles for 24 products.
// What is missing at the edges is zero, and the sums of a block go through an array of 32 x 32, from which
// those that exist are added to the results.
//
// The least and the greatest magnitude of what parts are made of are kept. Where they say that parts
// or their products could be lost, the sums of the block are looked at, or it is computed by vectors:
// so are all blocks on processors without the unit. One thread takes 0.57 of the time of vectors for 1024³.
// Of the time of the blocks the unit is busy for 0.6: reading and writing the results once for every pass takes
// most of the rest, and deeper passes leave no room for the strip.

// multiplyParts returns the name of the function for products of float32, whose operands perhaps are not side by
// side. Without transpositions it is compiled in 0.9 of the time.
func (u *unit) multiplyParts(s *loop.Multiply) string {
	name, transposed := "r_multiply_float32", partsTransposed
	if isConst(s.XStep, 1) && isConst(s.YStep, 1) {
		name, transposed = name+"_near", ""
	}
	name += u.suffix
	if u.once(name) {
		t := loop.Type{Elem: tensor.Float32, Lanes: max(2, u.options.VectorBytes/4)}
		text := strings.NewReplacer("%name", name, "%transposed", transposed).Replace(partsTypes + partsText + partsVectorText + partsMultiplyText)
		text = u.ofSection(u.expand(text, t)) // defines what it uses before
		u.helpers.WriteString(text)
	}
	return name
}

// partsTransposed is the choice of what is transposed before parts are made of it.
const partsTransposed = `if (whole && (columns ? member : line) == 1) {
    @transpose(part, columns ? 16 : 32, p, columns ? line : member, columns ? 16 : 32, columns ? 32 : 16);
  } else `

// hasParts is true where there are vectors to make parts by, and tiles.
const hasParts = hasTiles + ` && $BYTES == 64 && defined(__AVX512F__)`

// partsTypes are the next steps of a sum: how far they are from the first elements, and how many
// members they have. The bounds are of magnitudes as integers: of the least but 0, less 1, and of the
// greatest.
const partsTypes = `typedef struct { i64 x[4], y[4], members[4], count; } %name_steps;
typedef struct { u32 least, most; } %name_bounds;
`

// partsText makes parts, and multiplies them.
const partsText = `#if ` + hasParts + `
typedef struct { $U least, most; } %name_range;
static __attribute__((noinline)) void %name_split(u16 *to, const f32 *p, i64 line, i64 half, %name_range *g) {
  const $U high = 0xffff0000u + ($U){}, magnitude = 0x7fffffffu + ($U){};
  $U least = g->least, most = g->most;
#pragma GCC unroll 2
  for (int l = 0; l < 16; l++, p += line, to += 32) {
    $U a = ($U)*(const $M *)p, b = ($U)*(const $M *)(p + half);
    const $U am = a & magnitude, bm = b & magnitude;
    least = @min.u32(least, @min.u32(am - 1, bm - 1));
    most = @max.u32(most, @max.u32(am, bm));
    for (int part = 0; part < 2; part++) {
      const $U ah = (a + 0x8000u) & high, bh = (b + 0x8000u) & high;
      *($K *)(to + 1024 * part) = ($I)(ah >> 16 | bh);
      a = ($U)(($V)a - ($V)ah), b = ($U)(($V)b - ($V)bh);
    }
    *($K *)(to + 2048) = ($I)(a >> 16 | (b & high));
  }
  g->least = least, g->most = most;
}
static __attribute__((noinline)) void %name_tile(u16 *to, const f32 *p, i64 line, i64 member, i64 lines, i64 members, int columns, %name_range *g) {
  f32 part[512] __attribute__((aligned(64)));
  const int whole = lines == 16 && members == 32;
  if (member == 1)
    for (i64 l = 32; l < 48; l++) __builtin_prefetch(p + l * line, 0, 2), __builtin_prefetch(p + l * line + 16, 0, 2);
  if (whole && (columns ? line : member) == 1) {
    %name_split(to, p, columns ? member : line, columns ? 16 * member : 16, g);
    return;
  }
  %transposed{
    __builtin_memset(part, 0, sizeof part);
    for (i64 l = 0; l < lines; l++)
      for (i64 k = 0; k < members; k++) part[columns ? 16 * k + l : 32 * l + k] = p[l * line + k * member];
  }
  %name_split(to, part, columns ? 16 : 32, columns ? 256 : 16, g);
}
static %name_bounds %name_strip(u16 *to, const f32 *p, i64 line, i64 member, i64 lines, const i64 *at, const %name_steps *s, int columns) {
  %name_range g = {0xffffffffu + ($U){}, {}};
  for (i64 k = 0; k < s->count; k++, to += 3072)
    for (i64 l = 0; l < lines; l += 16)
      %name_tile(to + 32 * l, p + at[k] + l * line, line, member, lines - l < 16 ? lines - l : 16, s->members[k], columns, &g);
  %name_bounds b = {~0u, 0};
  for (int l = 0; l < $N; l++) {
    if (g.least[l] < b.least) b.least = g.least[l];
    if (g.most[l] > b.most) b.most = g.most[l];
  }
  return b;
}
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
static inline __attribute__((always_inline)) void %name_products(const u16 *x, const u16 *y, i64 count, int below, int right) {
#define R_ROWS(part) do { R_TILE("tileloadd (%0,%1,1), %%tmm4", x + 1024 * part, 64); if (below) R_TILE("tileloadd (%0,%1,1), %%tmm5", x + 1024 * part + 512, 64); } while (0)
#define R_COLUMNS(part) do { R_TILE("tileloaddt1 (%0,%1,1), %%tmm6", y + 1024 * part, 64); if (right) R_TILE("tileloaddt1 (%0,%1,1), %%tmm7", y + 1024 * part + 512, 64); } while (0)
#define R_PRODUCTS do { \
  __asm__ volatile("tdpbf16ps %tmm6, %tmm4, %tmm0"); \
  if (right) __asm__ volatile("tdpbf16ps %tmm7, %tmm4, %tmm1"); \
  if (below) __asm__ volatile("tdpbf16ps %tmm6, %tmm5, %tmm2"); \
  if (below && right) __asm__ volatile("tdpbf16ps %tmm7, %tmm5, %tmm3"); } while (0)
  for (; count > 0; count--, x += 3072, y += 3072) {
    R_ROWS(0); R_COLUMNS(2); R_PRODUCTS;
    R_COLUMNS(1); R_PRODUCTS;
    R_ROWS(1); R_PRODUCTS;
    R_COLUMNS(0); R_PRODUCTS;
    R_ROWS(2); R_PRODUCTS;
    R_ROWS(0); R_PRODUCTS;
  }
#undef R_ROWS
#undef R_COLUMNS
#undef R_PRODUCTS
}
static int %name_block(int add, f32 *z, i64 zs, const u16 *x, const u16 *y, i64 rows, i64 cols, i64 count, int risk, u32 least) {
  f32 s[1024] __attribute__((aligned(64)));
  const int below = rows > 16, right = cols > 16;
  __asm__ volatile("tilezero %tmm0\ntilezero %tmm1\ntilezero %tmm2\ntilezero %tmm3");
  if (below && right) %name_products(x, y, count, 1, 1);
  else %name_products(x, y, count, below, right);
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
  for (i64 r = 0; r < rows; r++) {
    f32 *to = z + r * zs, *from = s + 32 * r;
    if (cols == 32) {
      $M *t = ($M *)to;
      const $V first = *($M *)from, second = *($M *)(from + 16);
      if (add) t[0] += first, t[1] += second;
      else t[0] = first, t[1] = second;
    } else
      for (i64 c = 0; c < cols; c++) to[c] = add ? to[c] + from[c] : from[c];
  }
  return 1;
}
#endif
`

// partsVectorText computes a block of at most 32 columns by vectors, four rows and two vectors at a time.
const partsVectorText = `static __attribute__((noinline)) void %name_vectors(int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, const %name_steps *s) {
  f32 block[4 * 32 * 32] __attribute__((aligned(64)));
  if (cols < 32) __builtin_memset(block, 0, sizeof block);
  for (i64 n = 0; n < s->count; n++) {
    f32 *to = block + 1024 * n;
    const f32 *from = y + s->y[n];
    for (i64 k = 0; k < s->members[n]; k++, to += 32, from += yk)
      if (yc == 1 && cols == 32) __builtin_memcpy(to, from, 128);
      else
        for (i64 c = 0; c < cols; c++) to[c] = from[c * yc];
  }
  for (i64 r = 0; r < rows; r += 4)
    for (i64 c = 0; c < cols; c += 2 * $N) {
      const i64 last = rows - r < 4 ? rows - r - 1 : 3, some = cols - c, most = some < $N ? some : $N, more = some < $N ? 0 : some < 2 * $N ? some - $N : $N;
      $V a[4] = {{0}}, b[4] = {{0}};
      i64 at[4];
      for (int i = 0; i < 4; i++) at[i] = (i < last ? i : last) * xs;
      for (int i = 0; add && i <= last; i++) {
        __builtin_memcpy(&a[i], z + (r + i) * zs + c, 4 * (unsigned long)most);
        __builtin_memcpy(&b[i], z + (r + i) * zs + c + most, 4 * (unsigned long)more);
      }
      for (i64 n = 0; n < s->count; n++) {
        const f32 *p = x + r * xs + s->x[n], *q = block + 1024 * n + c;
        for (i64 k = 0; k < s->members[n]; k++, p += xk, q += 32) {
          const $V first = *(const $M *)q, second = *(const $M *)(q + $N);
#pragma GCC unroll 4
          for (int i = 0; i < 4; i++) {
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
`

// partsMultiplyText takes steps, four for a pass, from the sums, which are counted like the digits of a
// number: of each there are how many, how far X and Y go on, and where it stands, which is 0 in the beginning.
const partsMultiplyText = `static i64 %name_next(%name_steps *s, i64 *k, i64 *xo, i64 *yo, i64 xk, i64 yk, i64 depth, i64 *sums, i64 count) {
  for (s->count = 0; s->count < 4;) {
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
static __attribute__((noinline)) void %name(i64 *set, int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, i64 depth, i64 *sums, i64 count, u16 *room, i64 most) {
  i64 k = 0, xo = 0, yo = 0, more = depth > 0;
  for (i64 n = 0; n < count; n++)
    if (sums[4 * n] < 1) more = 0;
  if (!more && !add)
    for (i64 r = 0; r < rows; r++)
      for (i64 c = 0; c < cols; c++) z[r * zs + c] = 0;
#if ` + hasParts + `
  const i64 tiles = more && r_amx() & 4;
  int lost = 0;
  if (tiles) r_tiles(set, 32, 32, 16);
#else
  (void)set, (void)room;
#endif
  for (%name_steps s; more; add = 1) {
    more = %name_next(&s, &k, &xo, &yo, xk, yk, depth, sums, count);
    for (i64 b = 0; b < cols; b += most) {
      const i64 end = cols - b < most ? cols : b + most;
#if ` + hasParts + `
      if (tiles) {
        %name_bounds columns[32];
        u16 *strip = room + most * 384;
        for (i64 c = b; c < end; c += 32)
          columns[(c - b) / 32] = %name_strip(room + (c - b) / 32 * 3072 * s.count, y + c * yc, yc, yk, end - c < 32 ? end - c : 32, s.y, &s, 1);
        for (i64 r = 0; r < rows; r += 32) {
          const i64 height = rows - r < 32 ? rows - r : 32;
          const %name_bounds lines = %name_strip(strip, x + r * xs, xs, xk, height, s.x, &s, 0);
          for (i64 c = b; c < end; c += 32) {
            const i64 width = end - c < 32 ? end - c : 32;
            u32 least = 0;
            const int risk = %name_risk(lines, columns[(c - b) / 32], &least);
            if (risk < 2 && (risk == 0 || lost < 4) && %name_block(add, z + r * zs + c, zs, strip, room + (c - b) / 32 * 3072 * s.count, height, width, s.count, risk, least)) {
              lost -= risk && lost > 0;
              continue;
            }
            lost += risk == 1 && lost < 4; /* where four blocks more were in vain than not, no further one is looked at */
            %name_vectors(add, z + r * zs + c, zs, x + r * xs, xs, xk, y + c * yc, yk, yc, height, width, &s);
          }
        }
        continue;
      }
#endif
      for (i64 c = b; c < end; c += 32)
        %name_vectors(add, z + c, zs, x, xs, xk, y + c * yc, yk, yc, rows, end - c < 32 ? end - c : 32, &s);
    }
  }
}
`
