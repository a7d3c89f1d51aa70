package c

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How windows of float32 are multiplied
//
// A Multiply with runs of columns is a convolution: columns are the points of an image's rows, its sums
// are shifts by which windows go on in it, and members are channels. The same element is in as many columns as
// there are shifts. So parts are made once of a plane, the points from the first that a chunk of columns needs
// to the last, one after the other through the ends of rows:
//
//	parts of planes    [step][part][member mod 16][point][member / 16]
//	parts of rows      [step][shift][part][row / 16][row mod 16][member mod 16][member / 16]
//
// A tile of columns are 16 points of each of 16 pairs of members, and a shift is an address further on. Tiles
// begin anywhere in a line of the cache, which takes a sixth of the time; channels of a point side by side would
// not, but must be transposed. Points at the ends of rows, of which there is no column, are computed and dropped.
//
// All shifts and the members of a pass are added in the tiles, so that little time goes to the results: for as many
// members as leave room for the parts of enough points, in chunks of which there are the more the larger the
// image is. Parts of 32 rows are made for all chunks and images that there is room for. Bounds are looked at as for
// other products (multiply_parts.go), for 32 rows and a chunk.
//
// One thread takes 0.55 to 0.75 of the time of vectors for 64 to 512 channels and windows of 3 x 3. Functions that are
// not written out where they are called save some of the compiler's time.

// multiplyWindows returns the name of the function for products of float32 with runs of columns.
func (u *unit) multiplyWindows(s *loop.Multiply) string {
	name := "r_multiply_windows" + unusual(s) + u.suffix
	if u.once(name) {
		t := loop.Type{Elem: tensor.Float32, Lanes: max(2, u.options.VectorBytes/4)}
		text := partsTypes + partsBoundsText + partsVectorText + partsNextText + windowsImageText + windowsVectorText + windowsPartsText + windowsBlockText + windowsTilesText + windowsText
		text = strings.NewReplacer(append(blockingPairs(s), "%name", name)...).Replace(text)
		u.helpers.WriteString(u.ofSection(u.expand(text, t)))
	}
	return name
}

// windowsVectorText computes columns of one run by vectors, for all of some members.
const windowsVectorText = `static __attribute__((noinline)) void %name_run(int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, i64 depth, i64 *sums, i64 count) {
  for (i64 c = 0; c < cols; c += 32) {
    i64 k = 0, xo = 0, yo = 0, more = 1, further = add;
    for (%name_steps s; more; further = 1) {
      more = %name_next(&s, %PASS, &k, &xo, &yo, xk, yk, depth, sums, count);
      %name_vectors(further, z + c, zs, x, xs, xk, y + c * yc, yk, yc, rows, cols - c < 32 ? cols - c : 32, &s);
    }
  }
}
`

// windowsPartsText makes parts of planes and of rows. What is read of a plane are neighbours of each other, yc
// elements apart.
const windowsPartsText = `#if ` + hasParts + `
/* how far a shift is from the first one, in X and in points; a chunk is some columns of an image */
typedef struct { i64 x, point; } %name_shift;
typedef struct { i64 y, z, first, count; %name_bounds bounds; } %name_chunk;
static inline __attribute__((always_inline)) void %name_line(u16 *to, i64 part, $U a, $U b, %name_range *g) {
  const $U high = 0xffff0000u + ($U){}, magnitude = 0x7fffffffu + ($U){};
  const $U am = a & magnitude, bm = b & magnitude;
  g->least = @min.u32(g->least, @min.u32(am - 1, bm - 1));
  g->most = @max.u32(g->most, @max.u32(am, bm));
  for (int n = 0; n < 2; n++, to += part) {
    const $U ah = (a + 0x8000u) & high, bh = (b + 0x8000u) & high;
    *($K *)to = ($I)(ah >> 16 | bh);
    a = ($U)(($V)a - ($V)ah), b = ($U)(($V)b - ($V)bh);
  }
  *($K *)to = ($I)(a >> 16 | (b & high));
}
static __attribute__((noinline)) %name_bounds %name_ends(%name_range g) {
  %name_bounds b = {~0u, 0};
  for (int l = 0; l < $N; l++) {
    if (g.least[l] < b.least) b.least = g.least[l];
    if (g.most[l] > b.most) b.most = g.most[l];
  }
  return b;
}
static __attribute__((noinline)) $U %name_points(const f32 *p, i64 yc, i64 points) {
  f32 some[16] __attribute__((aligned(64))) = {0};
  for (i64 i = 0; i < points && i < 16; i++) some[i] = p[i * yc];
  return *($U *)some;
}
static __attribute__((noinline)) void %name_pair(u16 *to, i64 part, const f32 *a, const f32 *b, i64 yc, i64 points, %name_range *range) {
  %name_range g = *range;
  i64 i = 0;
  if (b && yc == 1)
    for (; i + 16 <= points; i += 16) {
      __builtin_prefetch(a + i + %POINTS), __builtin_prefetch(b + i + %POINTS);
      %name_line(to + 2 * i, part, ($U)*(const $M *)(a + i), ($U)*(const $M *)(b + i), &g);
    }
  for (; i < points; i += 16)
    %name_line(to + 2 * i, part, a ? %name_points(a + i * yc, yc, points - i) : ($U){}, b ? %name_points(b + i * yc, yc, points - i) : ($U){}, &g);
  *range = g;
}
static __attribute__((noinline)) %name_bounds %name_plane(u16 *to, i64 pitch, const f32 *y, i64 yk, i64 yc, i64 points, i64 depth) {
  %name_range g = {0xffffffffu + ($U){}, {}};
  for (i64 k = 0; k < depth; k += 32, to += 48 * pitch)
    for (i64 q = 0; q < 16; q++)
      %name_pair(to + q * pitch, 16 * pitch, k + q < depth ? y + (k + q) * yk : 0, k + q + 16 < depth ? y + (k + q + 16) * yk : 0, yc, points, &g);
  return %name_ends(g);
}
static __attribute__((noinline)) %name_bounds %name_rows(u16 *to, const f32 *x, i64 xs, i64 xk, i64 rows, i64 depth, const %name_shift *shifts, i64 count) {
  %name_range g = {0xffffffffu + ($U){}, {}};
  for (i64 k = 0; k < depth; k += 32, to += 3072 * count) {
    const i64 members = depth - k < 32 ? depth - k : 32;
    for (i64 r = 0; r < (rows > 16 ? 32 : 16); r++)
      for (i64 n = 0; n < count; n++) {
        const f32 *p = x + r * xs + k * xk + shifts[n].x, *next = xk == 1 ? p + %FURTHER * xs : x + (r + %FURTHER) * xs + k * xk + n * (32 * xk / count);
        __builtin_prefetch(next), __builtin_prefetch(next + 16);
        $U a = {}, b = {};
        if (r < rows && members == 32) {
          a = ($U)(xk == 1 ? ($V)*(const $M *)p : @strided(p, xk));
          b = ($U)(xk == 1 ? ($V)*(const $M *)(p + 16) : @strided(p + 16 * xk, xk));
        } else if (r < rows)
          a = %name_points(p, xk, members), b = %name_points(p + (members > 16 ? 16 * xk : 0), xk, members - 16);
        %name_line(to + 3072 * n + 32 * r, 1024, a, b, &g);
      }
  }
  return %name_ends(g);
}
#endif
`

// windowsBlockText multiplies a block of rows and columns, and leaves its sums where there are columns.
const windowsBlockText = `#if ` + hasParts + `
static inline __attribute__((always_inline)) void %name_shifted(const u16 *x, const u16 *y, i64 pitch, i64 steps, const %name_shift *shifts, i64 count, int below, int right) {
#define R_ROWS(part) do { R_TILE("tileloadd (%0,%1,1), %%tmm4", x + 1024 * part, 64); if (below) R_TILE("tileloadd (%0,%1,1), %%tmm5", x + 1024 * part + 512, 64); } while (0)
#define R_COLUMNS(part) do { R_TILE("tileloadd (%0,%1,1), %%tmm6", p + part * 16 * pitch, 2 * pitch); if (right) R_TILE("tileloadd (%0,%1,1), %%tmm7", p + part * 16 * pitch + 32, 2 * pitch); } while (0)
#define R_PRODUCTS do { \
  __asm__ volatile("tdpbf16ps %tmm6, %tmm4, %tmm0"); \
  if (right) __asm__ volatile("tdpbf16ps %tmm7, %tmm4, %tmm1"); \
  if (below) __asm__ volatile("tdpbf16ps %tmm6, %tmm5, %tmm2"); \
  if (below && right) __asm__ volatile("tdpbf16ps %tmm7, %tmm5, %tmm3"); } while (0)
  for (; steps > 0; steps--, y += 48 * pitch)
    for (i64 n = 0; n < count; n++, x += 3072) {
      const u16 *p = y + 2 * shifts[n].point;
` + sixProducts + `    }
#undef R_ROWS
#undef R_COLUMNS
#undef R_PRODUCTS
}
/* the columns of a run that begin at point p of a chunk of so many, and how many points the run and its end have */
static i64 %name_piece(i64 p, i64 end, i64 pitch, i64 cols, i64 *all) {
  const i64 at = p % pitch, left = end - p;
  *all = pitch - at < left ? pitch - at : left;
  return cols - at < *all ? cols - at : *all;
}
static __attribute__((noinline)) void %name_add(int add, f32 *z, i64 zs, const f32 *s, i64 rows, i64 cols) {
  const $I lanes = {$L{#}}, first = lanes < (i32)cols, second = lanes < (i32)cols - 16;
  for (i64 r = 0; r < rows; r++, z += zs, s += 32) {
    $V a = *(const $M *)s;
    if (add) a += @load_masked(z, first);
    @store_masked(z, a, first);
    if (cols > 16) {
      $V b = *(const $M *)(s + 16);
      if (add) b += @load_masked(z + 16, second);
      @store_masked(z + 16, b, second);
    }
  }
}
static __attribute__((noinline)) int %name_sums(int add, f32 *z, i64 zs, i64 zr, i64 first, i64 end, i64 pitch, i64 cols, const f32 *s, i64 rows, int risk, u32 least) {
  i64 all;
  for (i64 p = first; risk && p < end; p += all) {
    const i64 n = %name_piece(p, end, pitch, cols, &all);
    for (i64 r = 0; r < rows; r++)
      for (i64 c = 0; c < n; c++) {
        u32 bits;
        __builtin_memcpy(&bits, s + 32 * r + p - first + c, 4);
        if ((bits & 0x7fffffffu) < least) return 0;
      }
  }
  for (i64 p = first; p < end; p += all) {
    const i64 n = %name_piece(p, end, pitch, cols, &all);
    if (n > 0) %name_add(add, z + p / pitch * zr + p % pitch, zs, s + p - first, rows, n);
  }
  return 1;
}
static __attribute__((noinline)) void %name_products_of(f32 *s, const u16 *x, const u16 *y, i64 pitch, i64 steps, const %name_shift *shifts, i64 count, int below, int right) {
  __asm__ volatile("tilezero %tmm0\ntilezero %tmm1\ntilezero %tmm2\ntilezero %tmm3");
  if (below && right) %name_shifted(x, y, pitch, steps, shifts, count, 1, 1);
  else %name_shifted(x, y, pitch, steps, shifts, count, below, right);
  R_TILE("tilestored %%tmm0, (%0,%1,1)", s, 128);
  if (right) R_TILE("tilestored %%tmm1, (%0,%1,1)", s + 16, 128);
  if (below) R_TILE("tilestored %%tmm2, (%0,%1,1)", s + 512, 128);
  if (below && right) R_TILE("tilestored %%tmm3, (%0,%1,1)", s + 528, 128);
}
#endif
`

// windowsTilesText goes over the passes, the chunks that there is room for at once, and 32 rows.
const windowsTilesText = `#if ` + hasParts + `
typedef struct {
  f32 *z;
  const f32 *x, *y;
  i64 zs, xs, xk, yk, yc, rows, cols, depth, *sums, count;
  i64 zr, run, pitch, points; /* of an image: how far its runs are apart in Z, in Y and in points */
  %name_shift shifts[%SHIFTS];
  i64 all, low, span; /* how many shifts, the lowest in Y, and the points from the first to the last */
  int lost;
} %name_windows;
static __attribute__((noinline)) int %name_shifts(%name_windows *w) {
  w->all = 1, w->low = w->span = 0;
  if (w->yc < 1) return 0;
  for (i64 n = 0; n < w->count; n++) {
    const i64 steps = w->sums[4 * n], reach = (steps - 1) * w->sums[4 * n + 2];
    if (reach % w->yc || steps > %SHIFTS || (w->all *= steps) > %SHIFTS) return 0;
    w->low += reach < 0 ? reach : 0;
    w->span += (reach < 0 ? -reach : reach) / w->yc;
  }
  for (i64 i = 0; i < w->all; i++) {
    i64 x = 0, y = -w->low, rest = i;
    for (i64 n = w->count - 1; n >= 0; n--) {
      const i64 *sum = w->sums + 4 * n, step = rest % sum[0];
      x += step * sum[1], y += step * sum[2], rest /= sum[0];
    }
    if (y % w->yc) return 0;
    w->shifts[i] = (%name_shift){x, y / w->yc};
  }
  return 1;
}
static __attribute__((noinline)) void %name_chunk_rows(int add, %name_windows *w, i64 k, i64 members, i64 r, i64 rows, const %name_chunk *c, const u16 *x, %name_bounds bounds, const u16 *y, i64 pitch) {
  f32 s[1024 + 16] __attribute__((aligned(64))); /* vectors of the last row reach behind it */
  const i64 steps = (members + 31) / 32;
  u32 least = 0, more = 0;
  while (128l << more < 32 * steps * w->all) more++; /* than 128 members are more that may add up */
  if (bounds.most) bounds.most += more << 23;
  const int risk = %name_risk(bounds, c->bounds, &least);
  least += more << 23;
  f32 *z = w->z + c->z + r * w->zs;
  for (i64 b = 0; b < c->count; b += 32) {
    const i64 first = c->first + b, end = first + (c->count - b < 32 ? c->count - b : 32);
    if (risk < 2 && (risk == 0 || w->lost < %TRIES)) {
      for (i64 p = first, all; p < end; p += all) {
        const i64 n = %name_piece(p, end, w->pitch, w->cols, &all);
        const f32 *to = z + p / w->pitch * w->zr + p % w->pitch;
        for (i64 i = 0; n > 0 && i < rows; i++, to += w->zs) __builtin_prefetch(to, 1), __builtin_prefetch(to + n - 1, 1);
      }
      %name_products_of(s, x, y + 2 * b, pitch, steps, w->shifts, w->all, rows > 16, end - first > 16);
      if (%name_sums(add, z, w->zs, w->zr, first, end, w->pitch, w->cols, s, rows, risk, least)) {
        w->lost -= risk && w->lost > 0;
        continue;
      }
    }
    w->lost += risk == 1 && w->lost < %TRIES;
    for (i64 p = first, all; p < end; p += all) {
      const i64 n = %name_piece(p, end, w->pitch, w->cols, &all), at = p % w->pitch, run = p / w->pitch;
      %name_run(add, z + run * w->zr + at, w->zs, w->x + r * w->xs + k * w->xk, w->xs, w->xk, w->y + c->y + run * w->run + at * w->yc + k * w->yk, w->yk, w->yc, rows, n, members, w->sums, w->count);
    }
  }
}
/* how many steps of members a pass has, points a chunk and an image chunks; the points between rows of parts, the chunks that there is
   room for at once, and the time, 0 where there is none for a chunk */
typedef struct { i64 steps, most, chunks, pitch, slots, cycles; } %name_fit;
static __attribute__((noinline)) %name_fit %name_fits(const %name_windows *w, i64 steps, i64 images, i64 bytes) {
  const i64 all = steps * w->all, left = bytes - 6144 * all, lines = left > 0 ? left / (3072 * steps) : 0, capacity = ((lines - 1) * 16 - w->span) & -32;
  %name_fit f = {.steps = steps};
  if (lines < 1 || capacity < 32) return f;
  const i64 least = (w->points + capacity - 1) / capacity, blocks = (w->rows + 31) / 32, passes = ((w->depth + 31) / 32 + steps - 1) / steps;
  f.most = (w->points + 32 * least - 1) / (32 * least) * 32;
  f.chunks = (w->points + f.most - 1) / f.most;
  f.pitch = (((f.most + w->span + 15) / 16) | 1) * 32;
  f.slots = lines * 32 / f.pitch > %CHUNKS ? %CHUNKS : lines * 32 / f.pitch;
  const i64 jobs = images * f.chunks, groups = (jobs + f.slots - 1) / f.slots;
  f.cycles = passes * (blocks * (groups * all * %OFROWS + jobs * f.most / 32 * (all * %OFPRODUCT + %OFSUMS)) + jobs * (f.most + w->span) * steps * %OFPOINTS);
  return f;
}
static __attribute__((noinline)) int %name_tiles(i64 *set, int add, %name_windows *w, const i64 *runs, i64 digits, u16 *room, i64 bytes) {
  if (!%name_shifts(w)) return 0;
  i64 height = 1, images = 1, all = (w->depth + 31) / 32;
  w->pitch = w->cols;
  if (digits > 0 && runs[3 * digits - 2] % w->yc == 0 && runs[3 * digits - 2] / w->yc >= w->cols && runs[3 * digits - 2] / w->yc <= 2 * w->cols + 32) {
    const i64 *run = runs + 3 * --digits;
    height = run[0], w->run = run[1], w->zr = run[2], w->pitch = run[1] / w->yc;
  }
  w->points = (height - 1) * w->pitch + w->cols;
  for (i64 n = 0; n < digits; n++) images *= runs[3 * n];
  %name_fit f = {0};
  for (i64 passes = %FIRST, last = 0; passes <= all; passes++) {
    const %name_fit some = %name_fits(w, (all + passes - 1) / passes, images, bytes);
    if (some.steps != last && some.cycles && (!f.cycles || some.cycles < f.cycles)) f = some;
    last = some.steps;
  }
  if (!f.cycles) return 0;
  const i64 steps = f.steps, most = f.most, pitch = f.pitch, chunks = f.chunks, slots = f.slots, jobs = images * chunks;
  u16 *planes = room + steps * w->all * 3072;
  %name_chunk c[%CHUNKS];
  r_tiles(set, 32, 32, 16);
  for (i64 k = 0; k < w->depth; k += 32 * steps, add = 1) {
    const i64 members = w->depth - k < 32 * steps ? w->depth - k : 32 * steps;
    for (i64 g = 0; g < jobs; g += slots) {
      const i64 some = jobs - g < slots ? jobs - g : slots;
      for (i64 i = 0; i < some; i++) {
        const i64 first = (g + i) % chunks * most, count = w->points - first < most ? w->points - first : most;
        c[i] = (%name_chunk){0, 0, first, count, {0, 0}};
        %name_image(runs, digits, (g + i) / chunks, &c[i].y, &c[i].z);
        c[i].bounds = %name_plane(planes + i * steps * 48 * pitch, pitch, w->y + c[i].y + w->low + first * w->yc + k * w->yk, w->yk, w->yc, count + w->span, members);
      }
      for (i64 r = 0; r < w->rows; r += 32) {
        const i64 rows = w->rows - r < 32 ? w->rows - r : 32;
        const %name_bounds bounds = %name_rows(room, w->x + r * w->xs + k * w->xk, w->xs, w->xk, rows, members, w->shifts, w->all);
        for (i64 i = 0; i < some; i++) %name_chunk_rows(add, w, k, members, r, rows, c + i, room, bounds, planes + i * steps * 48 * pitch, pitch);
      }
    }
  }
  return 1;
}
#endif
`

// windowsText chooses, and computes without tiles, a run at a time.
const windowsText = `static __attribute__((noinline)) void %name(i64 *set, int add, f32 *z, i64 zs, const f32 *x, i64 xs, i64 xk, const f32 *y, i64 yk, i64 yc, i64 rows, i64 cols, i64 depth, i64 *sums, i64 count, const i64 *runs, i64 digits, u16 *room, i64 bytes) {
  i64 any = depth > 0, images = 1;
  for (i64 n = 0; n < count; n++) any = any && sums[4 * n] > 0;
  for (i64 n = 0; n < digits; n++) images *= runs[3 * n] > 0 ? runs[3 * n] : 0;
  if (rows < 1 || cols < 1 || images < 1) return;
#if ` + hasParts + `
  if (any && r_amx() & 4) {
    %name_windows w = {.z = z, .x = x, .y = y, .zs = zs, .xs = xs, .xk = xk, .yk = yk, .yc = yc, .rows = rows, .cols = cols, .depth = depth, .sums = sums, .count = count};
    if (%name_tiles(set, add, &w, runs, digits, room, bytes)) return;
  }
#else
  (void)set, (void)room, (void)bytes;
#endif
  for (i64 i = 0; i < images; i++) {
    i64 yi = 0, zi = 0;
    %name_image(runs, digits, i, &yi, &zi);
    if (any) %name_run(add, z + zi, zs, x, xs, xk, y + yi, yk, yc, rows, cols, depth, sums, count);
    else
      for (i64 r = 0; !add && r < rows; r++)
        for (i64 c = 0; c < cols; c++) z[zi + r * zs + c] = 0;
  }
}
`

// windowsImageText says where run number i lies.
const windowsImageText = `static __attribute__((noinline)) void %name_image(const i64 *runs, i64 digits, i64 i, i64 *y, i64 *z) {
  for (i64 n = digits - 1; n >= 0; n--) {
    const i64 step = i % runs[3 * n];
    *y += step * runs[3 * n + 1], *z += step * runs[3 * n + 2], i /= runs[3 * n];
  }
}
`
