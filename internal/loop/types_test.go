package loop_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
)

// TestRangesOfTypes subscripts by elements of every integer type: what the type says of their range is
// known, and no more.
func TestRangesOfTypes(t *testing.T) {
	for _, test := range []struct {
		dtype         string
		below         string // accepted with this length and no tests
		least         int    // the least value
		needs, tested string // tests that are not enough, and ones that are
	}{
		{"bool", "2", 0, "", ""},
		{"uint8", "256", 0, "", "v < 100"},
		{"int8", "", -128, "v < 100", "v < 100 && v >= 0"},
		{"uint16", "65536", 0, "", "v < 100"},
		{"int16", "", -32768, "v < 100", "v < 100 && v >= 0"},
		{"uint32", "4294967296", 0, "", "v < 100"},
		{"int32", "", -2147483648, "v < 100", "v < 100 && v >= 0"},
		{"int64", "", 0, "v < 100", "v < 100 && v >= 0"},
		{"uint64", "", 0, "v < 100", "v < 100 && v >= 0"},
	} {
		verify := func(length, condition, index string) error {
			head := fmt.Sprintf("buffer V %s[4] argument readonly\nbuffer B int8[%s] argument\nparams V, B", test.dtype, length)
			body := "let v int64 = cast(int64, V[2])\n"
			store := "store B[" + index + "] = int8(1)"
			if condition != "" {
				store = "if " + condition + " { " + store + " }"
			}
			return loop.Verify(parse(t, head, body+store))
		}
		if test.below != "" {
			if err := verify(test.below, "", "v"); err != nil {
				t.Errorf("%s in a buffer of %s: %v", test.dtype, test.below, err)
			}
			less := map[string]string{"2": "1", "256": "255", "65536": "65535", "4294967296": "4294967295"}[test.below]
			if err := verify(less, "", "v"); err == nil {
				t.Errorf("%s in a buffer of %s is accepted", test.dtype, less)
			}
		}
		if test.least < 0 {
			if err := verify(fmt.Sprint(-2*test.least), "", fmt.Sprintf("v + %d", -test.least)); err != nil {
				t.Errorf("%s from its least value: %v", test.dtype, err)
			}
			if err := verify(fmt.Sprint(-2*test.least), "", fmt.Sprintf("v + %d", -test.least-1)); err == nil {
				t.Errorf("%s from one below its least value is accepted", test.dtype)
			}
			if err := verify(fmt.Sprint(-2*test.least), "", fmt.Sprintf("v + %d", -test.least+1)); err == nil {
				t.Errorf("%s up to one above its greatest value is accepted", test.dtype)
			}
		}
		if test.needs != "" {
			if err := verify("100", test.needs, "v"); err == nil {
				t.Errorf("%s where %s is accepted", test.dtype, test.needs)
			}
		}
		if test.tested != "" {
			if err := verify("100", test.tested, "v"); err != nil {
				t.Errorf("%s where %s: %v", test.dtype, test.tested, err)
			}
			if err := verify("99", test.tested, "v"); err == nil {
				t.Errorf("%s where %s is accepted for 99", test.dtype, test.tested)
			}
		}
	}
}

// TestNonNegativeParameters: of a size it is known that it is not negative, of another parameter nothing.
func TestNonNegativeParameters(t *testing.T) {
	for _, test := range []struct {
		what string
		ok   bool
	}{{`"size N" nonnegative`, true}, {`"stride A 0"`, false}} {
		const head = "var N int64\nbuffer B float32[100] argument\nparams N %s, B"
		for _, body := range []string{"if N < 100 { store B[N] = float32(0) }", "for i = 0 .. 99 step 1 { store B[min(i + N, 99)] = float32(0) }", "store B[99 - min(N, 99)] = float32(0)"} {
			if err := loop.Verify(parse(t, fmt.Sprintf(head, test.what), body)); test.ok != (err == nil) {
				t.Errorf("%s, %s: %v", test.what, body, err)
			}
		}
	}
}
