package c

import (
	"fmt"
	"strconv"
	"strings"
)

// shiftName names the helper that moves lanes by a number of places.
func shiftName(by int) string {
	if by < 0 {
		return fmt.Sprintf("shift_down%d", -by)
	}
	return fmt.Sprintf("shift_up%d", by)
}

// shiftTemplate makes the helper: one permutation of the lanes of x and of a vector
// that repeats what fills the gap.
func shiftTemplate(name string) (template, bool) {
	pair, first := "", "" // the two vectors, and the lane of the pair that lane 0 takes
	if n, ok := strings.CutPrefix(name, "shift_up"); ok && isNumber(n) {
		pair, first = "y, x", "$N - "+n
	} else if n, ok := strings.CutPrefix(name, "shift_down"); ok && isNumber(n) {
		pair, first = "x, y", n
	} else {
		return template{}, false
	}
	return template{kinds: "fiu", lanes: vectors, params: "$V x, $S fill", body: `
  $V y = {$L{fill}};
  return @shuffle($I, ` + pair + `, $L{# + ` + first + `});`}, true
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
