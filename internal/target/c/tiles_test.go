package c

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// How tiles are tested without any
//
// Few processors have tiles. Their instructions stand in the texts as strings, so that a text is easily changed to
// one that hands the strings to a function, which does what they say. As the processor does it stops where rows or bytes of
// tiles do not fit each other, or where there is no configuration.

// emulator follows instructions, perhaps several in a string, whose address and distance of rows are p and s.
const emulator = `
static __thread struct { unsigned char palette, start, none[14]; unsigned short bytes[16]; unsigned char rows[16]; } emulated;
static __thread unsigned char emulated_tiles[8][16][64];
static void emulate_configuration(const void *t) {
  __builtin_memcpy(&emulated, t, sizeof emulated), __builtin_memset(emulated_tiles, 0, sizeof emulated_tiles);
  for (int i = 0; i < 8; i++)
    if (emulated.rows[i] > 16 || emulated.bytes[i] > 64 || emulated.bytes[i] % 4 || !emulated.rows[i] != !emulated.bytes[i]) __builtin_trap();
}
static int emulated_is(const char *text, const char *name) { return !__builtin_strncmp(text, name, __builtin_strlen(name)); }
static float emulated_half(const unsigned char *p) {
  unsigned bits = p[0] << 16 | (unsigned)p[1] << 24;
  float f;
  __builtin_memcpy(&f, &bits, 4);
  return f;
}
static void emulate_product(const char *name, int z, int x, int y) {
  if (emulated.rows[z] != emulated.rows[x] || emulated.bytes[z] != emulated.bytes[y] || emulated.bytes[x] != 4 * emulated.rows[y] || !emulated.rows[z]) __builtin_trap();
  for (int r = 0; r < emulated.rows[z]; r++)
    for (int k = 0; k < emulated.rows[y]; k++)
      for (int c = 0; c < emulated.bytes[z] / 4; c++) {
        unsigned char *to = &emulated_tiles[z][r][4 * c], *a = &emulated_tiles[x][r][4 * k], *b = &emulated_tiles[y][k][4 * c];
        if (emulated_is(name, "tdpbf16ps")) {
          float sum;
          __builtin_memcpy(&sum, to, 4);
          for (int i = 0; i < 4; i += 2) sum += emulated_half(a + i) * emulated_half(b + i);
          __builtin_memcpy(to, &sum, 4);
          continue;
        }
        unsigned sum; /* tdpbXYd */
        __builtin_memcpy(&sum, to, 4);
        for (int i = 0; i < 4; i++) sum += (unsigned)((name[4] == 's' ? (signed char)a[i] : a[i]) * (name[5] == 's' ? (signed char)b[i] : b[i]));
        __builtin_memcpy(to, &sum, 4);
      }
}
static __attribute__((noinline)) void emulate_tiles(const char *text, char *p, long long s) {
  while (text) {
    int tiles[3], count = 0;
    const char *end = __builtin_strchr(text, '\n');
    for (const char *at = __builtin_strstr(text, "tmm"); at && (!end || at < end) && count < 3; at = __builtin_strstr(at + 3, "tmm")) tiles[count++] = at[3] - '0';
    if (emulated_is(text, "tilerelease")) __builtin_memset(&emulated, 0, sizeof emulated);
    else if (!count || !emulated.palette) __builtin_trap();
    else if (emulated_is(text, "tilezero")) __builtin_memset(emulated_tiles[tiles[0]], 0, sizeof emulated_tiles[0]);
    else if (emulated_is(text, "tdp")) emulate_product(text, tiles[2], tiles[1], tiles[0]);
    else {
      if (!emulated.rows[tiles[0]]) __builtin_trap();
      for (int r = 0; r < emulated.rows[tiles[0]]; r++) {
        unsigned char *row = emulated_tiles[tiles[0]][r];
        if (emulated_is(text, "tilestored")) __builtin_memcpy(p + r * s, row, emulated.bytes[tiles[0]]);
        else __builtin_memset(row, 0, 64), __builtin_memcpy(row, p + r * s, emulated.bytes[tiles[0]]);
      }
    }
    text = end ? end + 1 : 0;
  }
}
`

// withoutRows are instructions that need no address.
var withoutRows = regexp.MustCompile(`__asm__ volatile\(("(?:tile|tdp)[^"]*")\)`)

// emulated returns a text in which a function does what instructions on tiles do. Parts are made by any vectors.
func emulated(t *testing.T, text string) string {
	t.Helper()
	for _, change := range [][2]string{
		{hasTiles, "1"}, {" && defined(__AVX512F__)", ""}, {"k = r_amx_ask()", "k = 7"}, {`__asm__ volatile("ldtilecfg %0" : : "m"(t))`, "emulate_configuration(&t)"},
		{`__asm__ volatile(text : : "r"(p), "r"((i64)(s)) : "memory")`, "emulate_tiles(text, (char *)(p), (i64)(s))"},
	} {
		if !strings.Contains(text, change[0]) && change[0] != " && defined(__AVX512F__)" {
			t.Fatalf("nothing is %s", change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return emulator + withoutRows.ReplaceAllString(text, "emulate_tiles($1, 0, 0)")
}

// cut draws how a product is cut, or leaves it as usual, and takes the loops from their text.
func cut(t *testing.T, r *rand.Rand, f *loop.Func) *loop.Func {
	t.Helper()
	body := f.Body
	if alloc, ok := body[0].(*loop.Alloc); ok {
		body = alloc.Body
	}
	s := body[0].(*loop.Multiply)
	for _, row := range ein.BlockingRows() {
		var list []int64
		for _, most := range row.Most {
			list = append(list, 1+r.Int64N(min(most, 20)))
		}
		if r.IntN(3) > 0 && row.Of&s.Product() != 0 {
			row.Set(&s.Blocking, list...)
		}
	}
	if s.Product() == ein.PartsProduct {
		s.Keep = loop.Operand(r.IntN(3))
	}
	again, err := loop.Parse(source.NewFile("cut", loop.Print(f)))
	if err == nil {
		err = loop.Verify(again)
	}
	if err != nil || loop.Print(again) != loop.Print(f) {
		t.Fatalf("%v\n%s", err, loop.Print(f))
	}
	return again
}

// TestMultiplyCut multiplies blocks that are cut in any way, in tiles that are emulated and without: integers are those of the
// evaluator bit by bit, floats within the bounds of TestMultiplyBFloat16 and TestMultiplyFloat32.
func TestMultiplyCut(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 23))
	types := [][2]tensor.DType{{tensor.BFloat16, tensor.BFloat16}, {tensor.Uint8, tensor.Int8}, {tensor.Int8, tensor.Uint8}, {tensor.Int8, tensor.Int8}, {tensor.Uint8, tensor.Uint8}, {tensor.Int16, tensor.Int16}}
	var list []*loop.Func
	for n := range sweep.Draws(t, 8, 240) {
		if n%2 == 0 {
			list = append(list, cut(t, r, float32Program(t, r, n/2)))
		} else {
			list = append(list, cut(t, r, multiplyProgram(t, r, types[n/2%len(types)], n)))
		}
	}
	text, err := PrintUnit(list, Options{Parallel: Serial})
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range compilers(t)[:1] {
		variants := []string{emulated(t, text), strings.ReplaceAll(text, hasTiles, "0")}
		for _, printed := range sweep.Some(t, variants, 2) { // what tiles refuse is computed by vectors in the first, too
			lib := build(t, compiler, printed, "-march=native", "-w", "-O0") // which takes half the time of -O1
			for _, f := range list {
				for range 2 {
					switch x := f.Params[0].Buffer.Type.Elem; x {
					case tensor.Float32:
						checkFloat32(t, r, lib, f)
					case tensor.BFloat16:
						checkBFloat16(t, r, lib, f)
					default:
						checkIntegers(t, r, lib, f)
					}
				}
			}
		}
	}
}

// checkIntegers compares a product with the one of the evaluator.
func checkIntegers(t *testing.T, r *rand.Rand, lib library, f *loop.Func) {
	t.Helper()
	args := randomArguments(r, f)
	for k := range 2 {
		extreme(r, args[k].Bytes)
	}
	want := cloneArguments(args)
	if _, err := loop.Evaluate(f, want); err != nil {
		t.Fatal(err)
	}
	lib.call(t, Symbol(f.Name), argumentBlock(f, args, &[2]int64{}))
	if why := unlike(f.Params[2].Buffer.Type.Elem, args[2].Bytes, want[2].Bytes); why != "" {
		t.Fatalf("%s\n%s", why, loop.Print(f))
	}
}
