package numerics

// A Class says what a step may do to a float.
type Class uint8

// The classes, from what changes nothing to what changes most.
const (
	Exact      Class = iota // no bit of any result
	Rounding                // where intermediate results are rounded
	Order                   // the order of a sum
	Accuracy                // a function, or a product, within the error that is promised for it
	Regrouping              // which products are formed
)

// Classes lists the classes with what users are told of them.
func Classes() []struct {
	Class Class
	Name  string
	Doc   string
} {
	return []struct {
		Class Class
		Name  string
		Doc   string
	}{
		{Exact, "exact", "changes no bit of any result; of a NaN only which one it is"},
		{Rounding, "rounding", "rounds an intermediate result later, or not at all"},
		{Order, "order", "adds in another order than the text's"},
		{Accuracy, "accuracy", "has an error of its own, within what is promised"},
		{Regrouping, "regrouping", "forms other products than the text's, which may overflow or underflow where these do not"},
	}
}

// A Step is something that happens to a program between its text and its machine code.
type Step struct {
	Name  string
	Where string // a file or a directory of the repository
	Class Class
	Doc   string
	// What happens in the modes: "yes", "no", or under which condition.
	Strict, Default, Fast string
}

const (
	yes = "yes"
	no  = "no"
)

// Steps lists all steps that compute with floats, in the order of a compilation. A pass of package rewrite has its
// name.
func Steps() []Step {
	return []Step{
		{"lifting", "internal/lang/teil", Regrouping, "TeIL's equations choose the order of its products; `direct` keeps the text's", "by the program", "by the program", "by the program"},
		{"moved sums", "internal/lang/teml", Regrouping, "TeML moves a `vsum` that is a factor to the outside of the product", "by the program", "by the program", "by the program"},
		{"laws", "internal/rewrite/laws.go", Order, "sums may run in any order, products of a `reduce *` only in mode fast", no, "sums", "sums and products"},
		{"simplify", "internal/rewrite/simplify.go", Exact, "constants are folded; x·1, x/1, x - 0 and x + -0 are x, pow(x, 2) is x·x", yes, yes, yes},
		{"tests", "internal/rewrite/bounds_checks.go", Exact, "tests of subscripts that are inside are left out", yes, yes, yes},
		{"fuse", "internal/rewrite/merge.go", Exact, "initialisations are merged, point-wise temporaries inlined; sums start from +0", yes, yes, yes},
		{"minimise", "internal/rewrite/minimise.go", Regrouping, "sums over products of several factors become contractions of two", no, "with a guard, or where the text takes more than twice as long and a guard too much, which `show` says", yes},
		{"nests", "internal/rewrite/nest.go", Exact, "reductions in scans are computed first", yes, yes, yes},
		{"layout", "internal/rewrite/layout.go", Exact, "short last dimensions of temporaries lie first in memory", yes, yes, yes},
		{"part", "internal/rewrite/residues.go", Exact, "terms that are the identity of a reduction are left out", "of minima and maxima", yes, yes},
		{"pad", "internal/rewrite/padded.go", Order, "operands get a border; a window that runs backwards may be turned round", "without turning", yes, yes},
		{"split", "internal/rewrite/split.go", Order, "the interior of a reduction is parted from its boundary, also along what is summed", "not along sums", yes, yes},
		{"defaults", "internal/rewrite/defaults.go", Exact, "defaults of minima and maxima are taken out of their terms", yes, yes, yes},
		{"keys", "internal/rewrite/keys.go", Order, "reductions by keys look up a table", no, yes, yes},
		{"strips", "internal/rewrite/strips.go", Exact, "chains of stencils are computed in strips", yes, yes, yes},
		{"simplify-again", "internal/rewrite/simplify.go", Exact, "as simplify", yes, yes, yes},
		{"factors", "internal/rewrite/factors.go", Regrouping, "factors are multiplied with a sum instead of its terms: Σ s·a = s·Σ a", no, "constants of magnitude 0.25 and more; others with a guard", yes},
		{"narrow", "internal/rewrite/narrow.go", Exact, "integers are computed in fewer bits", yes, yes, yes},
		{"schedules", "internal/schedule", Order, "loops, vectors and threads take parts of sums; `schedule.Check` refuses what a mode does not allow", no, yes, yes},
		{"operators of programs", "internal/schedule", Order, "an operator that the program calls associative, or commutative, is combined in groups, or in any order", no, yes, yes},
		{"parts of float32", "internal/target/c/multiply_parts.go", Accuracy, "AMX multiplies float32 in three parts of bfloat16, within the error of a product, and in range", no, "where the processor has the unit", "where the processor has the unit"},
		{"products of bfloat16", "internal/target/c/dot.go", Accuracy, "units take numbers below the smallest normal one for 0", no, "where the processor has the unit", "where the processor has the unit"},
		{"products of fragments", "internal/schedule/fragments.go", Order, "matrix units of devices multiply float16 and bfloat16 exactly, and add in an order of their own, in which what is far below the largest term may be cut off; integers wrap", "of integers", "where the schedule says so", "where the schedule says so"},
		{"short factors", "internal/ein/short.go", Accuracy, "matrix units of devices round float32 to 11 digits (tf32) before they multiply it: a term is off by 2⁻¹⁰ of itself at most", no, no, "where the device has the unit"},
		{"contraction", "internal/device/host/compile.go", Rounding, "x·y + z is rounded once (fma)", no, "where the compiler likes", "where the compiler likes"},
		{"functions", "internal/target/c/math.go", Accuracy, "builtins within the table of docs/builtins.md", "one body for all machines", yes, yes},
		{"division by a scalar", "internal/target/c/divide.go", Exact, "quotients of vectors by one scalar are corrected products with its reciprocal, rounded correctly", yes, yes, yes},
		{"division by a constant", "internal/target/c/constant_division.go", Exact, "of integers only", yes, yes, yes},
		{"16-bit floats", "internal/target/c/half_arithmetic.go", Exact, "computed as they are stored where that has the same bits", yes, yes, yes},
		{"C compilers", "internal/device/host/compile.go", Exact, "no flag of -ffast-math is ever given; errno and traps are ignored", yes, yes, yes},
	}
}
