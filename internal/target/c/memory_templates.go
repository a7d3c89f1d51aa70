package c

import "sync"

// memoryTemplates are masked loads and stores of lanes that lie side by side, loads of those
// a short step apart (every.go), and the conversions of 16-bit floats.
var memoryTemplates = sync.OnceValue(func() map[string][]template {
	return addInterleaved(addEvery(map[string][]template{
		"load_masked": {
			{kinds: "fiu", lanes: registers, params: "const $S *p, $I m", body: loadMasked},
			{kinds: "fiu", lanes: halved, params: "const $S *p, $I m", body: `
  union { $I v; $J h[2]; } k = {m};
  union { $V v; $H h[2]; } r;
  r.h[0] = @load_masked.H(p, k.h[0]);
  r.h[1] = @load_masked.H($C{p + $N / 2}, k.h[1]);
  return r.v;`},
		},
		"store_masked": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x, $I m", body: storeMasked},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x, $I m", body: `
  union { $I v; $J h[2]; } k = {m};
  union { $V v; $H h[2]; } a = {x};
  @store_masked.H(p, a.h[0], k.h[0]);
  @store_masked.H($C{p + $N / 2}, a.h[1], k.h[1]);`},
		},
		"stream": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x", body: streamStore},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x", body: `
  union { $V v; $H h[2]; } a = {x};
  @stream.H(p, a.h[0]);
  @stream.H($C{p + $N / 2}, a.h[1]);`},
		},
		"stream_row": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x, $V *rest, i64 behind, _Bool first", body: streamRow},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x, $V *rest, i64 behind, _Bool first", body: "(void)rest, (void)behind, (void)first, *($M *)p = x;"},
		},
		"stream_kept": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x, $V *rest, i64 behind, _Bool first, $V *head", body: streamKept},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x, $V *rest, i64 behind, _Bool first, $V *head", body: "(void)rest, (void)behind, (void)first, (void)head, *($M *)p = x;"},
		},
		"stream_tail": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x, $V *rest, i64 *behind, i64 tail", body: streamTail},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x, $V *rest, i64 *behind, i64 tail", body: "(void)rest, (void)behind; @store_masked(p, x, ($I){$L{#}} < ($Z)tail);"},
		},
		"end_row": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V rest, i64 behind", body: endRow},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V rest, i64 behind", body: "(void)p, (void)rest, (void)behind;"},
		},
		"join_rows": {
			{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V rest, i64 behind, $V head", body: joinRows},
			{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V rest, i64 behind, $V head", body: "(void)p, (void)rest, (void)behind, (void)head;"},
		},
		"next_page": {{kinds: "i", result: "void", params: "const void *p, u64 step", body: nextPage}},
		"fence": {{kinds: "i", result: "void", params: "void", body: `
#if defined(__x86_64__)
  __asm__ __volatile__("sfence" ::: "memory");
#endif`}},
	}))
})

// The instructions with masks touch no memory for the lanes that are false, as
// the loop IR demands. They are written as assembly because the two compilers
// have different intrinsics and neither finds them in a loop over lanes.
const (
	hasMasks   = "#if ($BYTES == 16 || $BYTES == 32 || $BYTES == 64) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)"
	hasAVX2    = "#elif ($BYTES == 16 || $BYTES == 32) && $SIZE >= 4 && defined(__AVX2__)"
	loadMasked = hasMasks + `
  $V r;
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("$MOVE %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const $M *)p));
  return r;
` + hasAVX2 + `
  $V r;
  __asm__("vpmaskmov$LETTER %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const $M *)p));
  return r;
#else
  return ($V){$L{m[#] ? p[#] : 0}};
#endif`
	storeMasked = hasMasks + `
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("$MOVE %1, %0%{%2%}" : "+m"(*($M *)p) : "v"(x), "Yk"(k));
` + hasAVX2 + `
  __asm__("vpmaskmov$LETTER %1, %2, %0" : "+m"(*($M *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < $N; l++) if (m[l]) p[l] = x[l];
#endif`
)

// nextPage asks for the first lines of the page behind the one that begins at p, or less than a
// step before. A processor that follows what is read in order stops at the ends of pages, and needs
// some lines of the next one to begin again: with these the sum of 2^26 floats takes 0.84 of the time
// on Granite Rapids, a copy 0.90, a dot product 0.86; 4 to 12 lines do equally well, two pages ahead
// is too far.
const nextPage = `
#if defined(__x86_64__)
  if (__builtin_expect(((u64)p & 4095) < step, 0))
    for (int k = 0; k < 8; k++) __builtin_prefetch((const char *)p + 4096 + 64 * k, 0, 2);
#endif`

// streamStore writes past the caches, which takes an aligned address: clang's own store of
// this kind does not look at it on x86-64. Other threads see the result after a fence. An
// argument may begin anywhere: its lines are asked for some way ahead instead.
const streamStore = `
#if defined(__AVX512F__) && $BYTES == 64 || defined(__AVX__) && $BYTES == 32
  if (((u64)p & $C{$BYTES - 1}) == 0) __asm__("vmovntps %1, %0" : "=m"(*($M *)p) : "v"(x));
  else __builtin_prefetch((const char *)p + 2048, 1), *($M *)p = x;
#elif defined(__x86_64__) && $BYTES == 16
  if (((u64)p & 15) == 0) __asm__("movntps %1, %0" : "=m"(*($M *)p) : "x"(x));
  else __builtin_prefetch((const char *)p + 2048, 1), *($M *)p = x;
#elif defined(__clang__) && !defined(__x86_64__)
  __builtin_nontemporal_store(x, ($M *)p);
#else
  *($M *)p = x;
#endif`

// streamRow writes the line that ends within a vector: its first lanes behind the last ones of
// the vector before. A permutation of two vectors takes the numbers of lanes from a table, so
// that the ports that add and multiply have nothing else to do. streamTail does so with a vector
// that ends a row before its last lanes, if a line ends in it. endRow writes what is left, and
// joinRows does with what the next row begins with, which streamKept keeps. Only AVX-512 has such permutations; elsewhere vectors are stored as they are.
const (
	hasRows   = "#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && $BYTES == 64 && $SIZE >= 4"
	streamRow = hasRows + `
  static const $Z lanes[$C{2 * $N}] __attribute__((aligned(64))) = {$L{#}, $L{# + $N}};
  $I from = *(const $K *)(lanes + ($N - behind));
  $V joined = *rest;
  __asm__("vpermt2$LETTER %2, %1, %0" : "+v"(joined) : "v"(from), "v"(x));
  if (first) @store_masked(p - behind, joined, from >= $N);
  else __asm__("vmovntps %1, %0" : "=m"(*($M *)(p - behind)) : "v"(joined));
  *rest = x;
#else
  (void)rest, (void)behind, (void)first;
  *($M *)p = x;
#endif`
	streamTail = hasRows + `
  static const $Z lanes[$C{2 * $N}] __attribute__((aligned(64))) = {$L{#}, $L{# + $N}};
  $I from = *(const $K *)(lanes + ($N - *behind)), kept = *(const $K *)(lanes + tail);
  $V joined = *rest;
  __asm__("vpermt2$LETTER %2, %1, %0" : "+v"(joined) : "v"(from), "v"(x));
  if (*behind + tail >= $N) __asm__("vmovntps %1, %0" : "=m"(*($M *)(p - *behind)) : "v"(joined));
  __asm__("vpermt2$LETTER %2, %1, %0" : "+v"(*rest) : "v"(kept), "v"(x));
  *behind = (*behind + tail) & $C{$N - 1};
#else
  (void)rest, (void)behind;
  @store_masked(p, x, ($I){$L{#}} < ($Z)tail);
#endif`
	streamKept = hasRows + `
  if (first && head) {
    if (behind == 0) @stream(p, x);
    *head = *rest = x;
  } else @stream_row(p, x, rest, behind, first);
#else
  (void)rest, (void)behind, (void)first, (void)head;
  *($M *)p = x;
#endif`
	joinRows = hasRows + `
  static const $Z lanes[$C{2 * $N}] __attribute__((aligned(64))) = {$L{#}, $L{# + $N}};
  $I from = *(const $K *)(lanes + ($N - behind));
  __asm__("vpermt2$LETTER %2, %1, %0" : "+v"(rest) : "v"(from), "v"(head));
  if (behind) __asm__("vmovntps %1, %0" : "=m"(*($M *)(p - behind)) : "v"(rest));
#else
  (void)p, (void)rest, (void)behind, (void)head;
#endif`
	endRow = hasRows + `
  static const $Z lanes[$C{2 * $N}] __attribute__((aligned(64))) = {$L{#}, $L{# + $N}};
  @store_masked(p - $N, rest, *(const $K *)(lanes + behind) >= $N);
#else
  (void)p, (void)rest, (void)behind;
#endif`
)
