package c

import (
	"cmp"
	"strings"
)

// helperComments say what helpers do, for readers of the C text. # stands for a number at the end of a name,
// a prefix for a type behind it. Names such as fabs speak for themselves.
var helperComments = map[string]string{
	"add_shared":           "z + x * y",
	"all":                  "whether all lanes hold",
	"any":                  "whether a lane holds",
	"bits":                 "a bit for each lane that holds",
	"distances":            "sums of |x - y| of groups of 8 bytes, each in the first 4 bytes of its group",
	"clz":                  "the bits above the highest that is 1",
	"div":                  "rounded down, 0 for a division by 0",
	"div_by":               "x / y, correctly rounded",
	"div_by#":              "rounded down",
	"div_positive":         "rounded down, for y > 0",
	"dot_16":               "z and the products of two words of 16 bits in each lane",
	"dot_bf16":             "z and the products of two bfloat16 in each lane",
	"dot_ss":               "z and the products of four bytes in each lane",
	"dot_us":               "z and the products of four bytes in each lane, those of x without a sign",
	"dot_uu":               "z and the products of four bytes in each lane, all without a sign",
	"end_row":              "writes what is left of a row that was written past the caches",
	"every_#":              "lanes so many elements apart",
	"every_#_masked":       "lanes so many elements apart, and 0 where m is 0",
	"fence":                "lets other threads see what was written past the caches",
	"first#":               "the mask of the first lanes, as many as are left",
	"fold_add":             "the sum of the lanes",
	"fold_and":             "the bits that all lanes have",
	"fold_max":             "the largest lane",
	"fold_min":             "the smallest lane",
	"fold_mul":             "the product of the lanes",
	"fold_or":              "the bits that a lane has",
	"fold_xor":             "the bits that an odd number of lanes have",
	"from_bfloat#":         "in float32",
	"from_float#":          "in float32",
	"gather":               "p[i] of each lane",
	"gather_masked":        "p[i] of each lane, and 0 where m is 0",
	"gather_narrow":        "p[i] of each lane",
	"gather_narrow_masked": "p[i] of each lane, and 0 where m is 0",
	"half_":                "of float16",
	"held":                 "x, in a register",
	"interleave":           "transposes the few rows of s, side by side in words of 32 bits",
	"interleave_#":         "stores the lanes of vectors in turns",
	"interleave_#_masked":  "stores the lanes of vectors in turns, but for those where m is 0",
	"join_rows":            "writes the line that a row ends in and the next one begins in",
	"kept":                 "x, in a register",
	"lane":                 "lane n",
	"load_masked":          "reads the lanes where m is not 0; the others are 0",
	"mod":                  "with the sign of y, 0 for a division by 0",
	"mod_by#":              "not negative",
	"mod_positive":         "not negative, for y > 0",
	"next_page":            "asks for the page behind the one that p is in, when p enters that",
	"popcount":             "the bits that are 1",
	"product_#":            "x * y of numbers that need half of their bits",
	"scatter":              "writes x to p[i] for each lane",
	"select":               "x where the mask holds, y elsewhere",
	"shift_down#":          "lanes move towards lane 0",
	"shift_up#":            "lanes move away from lane 0",
	"shl":                  "x shifted to the left, 0 where y is no place of a bit",
	"shr":                  "x shifted to the right, by all places where y is none of a bit",
	"square":               "the columns of $N rows of s, which lie ss apart",
	"store_every_#":        "writes lanes so many elements apart",
	"store_masked":         "writes the lanes where m is not 0",
	"stream":               "writes past the caches",
	"stream_kept":          "stream_row, which keeps the first vector of a row in head",
	"stream_row":           "writes a vector past the caches in whole lines, the first of which began behind lanes before; rest is the one before",
	"stream_tail":          "stream_row of the last lanes of a row",
	"strided":              "lanes s elements apart",
	"strided_masked":       "lanes s elements apart, and 0 where m is 0",
	"to_bfloat#":           "rounded to bfloat16",
	"to_float#":            "rounded to float16",
	"to_int#":              "truncated and clamped, 0 for a NaN",
	"to_uint#":             "truncated and clamped, 0 for a NaN",
	"transpose":            "columns of s, whose rows lie ss apart, become rows of d, ds apart",
	"transpose_ahead":      "transposes, and asks for the next rows",
	"to_int8_by_words":     "truncated and clamped, 0 for a NaN",
	"to_uint8_by_words":    "truncated and clamped, 0 for a NaN",
	"transpose_stream":     "transposes, and writes past the caches",
	"truncate_":            "the lower bits of each lane",
	"widen_":               "each lane in more bits",
	"word":                 "four bytes as they lie in memory",
	"zip_high":             "the upper halves in turns",
	"zip_low":              "the lower halves in turns",
	"zip_pairs_high":       "pairs of the upper halves in turns",
	"zip_pairs_low":        "pairs of the lower halves in turns",
}

// helperComment returns the comment in C above a helper, or nothing.
func helperComment(name string) string {
	base, masked := strings.CutSuffix(name, "_masked")
	family := base
	if digits := strings.TrimRight(base, "0123456789"); digits != base {
		family = digits + "#"
	}
	mask := ""
	if masked {
		mask = "_masked"
	}
	text := cmp.Or(helperComments[name], helperComments[family+mask])
	if text == "" && masked {
		text = cmp.Or(helperComments[base], helperComments[family]) + ", where m is not 0"
	}
	for _, prefix := range []string{widenPrefix, truncatePrefix, "half_"} {
		if text == "" && strings.HasPrefix(name, prefix) {
			text = helperComments[prefix]
		}
	}
	if text == "" {
		text = helperComments[family]
	}
	if text == "" {
		return ""
	}
	return "/* " + text + " */\n"
}
