package source

// The codes of range inference and bounds.
const (
	CodeUnresolved     Code = "E0301"
	CodeEmptyRange     Code = "E0302"
	CodeOutOfBounds    Code = "E0303"
	CodeShapesDisagree Code = "E0304"
	CodeRangeBound     Code = "E0305"
	CodeTwoRanges      Code = "E0306"
	CodeLesser         Code = "E0307"
	CodeNoShape        Code = "E0308"
	CodeUnproved       Code = "E0309"
	CodeCollapsed      Code = "E0310"
	CodeBelowZero      Code = "E0312"
	CodeNarrowed       Code = "E0315"
)

var rangeCodes = []CodeInfo{
	{
		Code:        CodeUnresolved,
		Title:       "The range of an index cannot be inferred",
		Explanation: "An index gets its range from an access in which it is the only unknown index. When indices only occur together there is more than one way to choose their ranges, and when an index is in no access there is no way.",
		Example:     "def f(float(N) A) -> (B) { B(i) +=! A(i+k) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) +=! A(i+k) where k in 0:3 }",
	},
	{
		Code:        CodeEmptyRange,
		Title:       "A range is empty",
		Explanation: "The range lo:hi has hi - lo values, from lo to hi - 1. A range that is empty for all sizes is a mistake unless the program says that it may be empty.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) where i in 8:4 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) where i in 4:8 }",
	},
	{
		Code:        CodeOutOfBounds,
		Title:       "An access is out of bounds for all sizes",
		Explanation: "With the ranges of its indices the access leaves the tensor, whatever the sizes are. Ranges of a where clause are taken as they are written.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i+1) where i in 0:N }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = pad(A(i+1), 0) where i in 0:N }",
	},
	{
		Code:        CodeShapesDisagree,
		Title:       "Two statements disagree on the bounds of a tensor",
		Explanation: "The declaration, or else the first statement that writes a tensor, decides its shape; a later statement writes all of it. A part may be written with a range in the where clause when the tensor has its values elsewhere already.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = A(i+1) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = A(i+1) where i in 0:N-1 }",
	},
	{
		Code:        CodeRangeBound,
		Title:       "A bound of a range is no size expression",
		Explanation: "Ranges are boxes: their bounds are made of numbers, sizes and integer scalar inputs, not of other indices or of elements.",
		Example:     "def f(float(N) A) -> (B) { B(i) +=! A(j) where i in 0:N, j in 0:i }",
		Fix:         "def f(float(N) A) -> (B) { B(i) +=! j < i ? A(j) : 0 where i in 0:N, j in 0:N }",
	},
	{
		Code:        CodeTwoRanges,
		Title:       "An index has two ranges",
		Explanation: "A where clause gives at most one range to an index.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) where i in 0:4, i in 2:N }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) where i in 2:min(4, N) }",
	},
	{
		Code:        CodeLesser,
		Title:       "An index runs over the lesser of two sizes (warning)",
		Explanation: "The index is used for dimensions of different sizes, and the largest range that is in bounds for both is their minimum. Often the two dimensions should have the same name.",
		Example:     "def mm(float(M,H) A, float(N,H) B) -> (C) { C(i,j) +=! A(k,i) * B(k,j) }",
		Fix:         "def mm(float(H,M) A, float(H,N) B) -> (C) { C(i,j) +=! A(k,i) * B(k,j) }",
	},
	{
		Code:        CodeNoShape,
		Title:       "The shape of a tensor is not known",
		Explanation: "The tensor is read, and no statement that can be solved before decides its shape.",
		Example:     "def f(float(N) A) -> (C) { C(i) = A(i) + clamp(C(i+1)) }",
		Fix:         "def f(float(N) A) -> (float(N) C) { C(i) = A(i) + clamp(old(C)(i+1)) }",
	},
	{
		Code:        CodeUnproved,
		Title:       "An access is tested while running (warning)",
		Explanation: "Sums, products, quotients, min and max of indices and sizes are compared with the dimension when the program is checked, where the conditions around the access hold. Of other subscripts nothing is known before the program runs; each such access is tested then, which costs time, and a call may fail.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i*i - i) where i in 0:N }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = i*i - i >= 0 && i*i - i < N ? A(i*i - i) : 0.0 where i in 0:N }",
	}, {
		Code:  CodeCollapsed,
		Title: "An inferred range has a single value (warning)",
		Explanation: "The largest range that is in bounds for all sizes has one value. Often the range of another index is written as if it had the " +
			"whole dimension, so that nothing is left for this one, or a dimension of size 1 was meant to be repeated.",
		Example: "def f(float(N) x, float(K) w) -> (y) { y(i) +=! x(i+j) * w(0) where i in 0:N }",
		Fix:     "def f(float(N) x, float(K) w) -> (y) { y(i) +=! x(i+j) * w(j) }",
	},
	{
		Code:  CodeBelowZero,
		Title: "An inferred range would leave out what lies below zero",
		Explanation: "A tensor begins below zero where a range of the statement that writes it does, as with dy in -R:R+1. Inferred ranges begin at 0 at the least, " +
			"so that an index without a range would read a part of it only, and a sum over the index would be one of a part. Say in the where clause which range is meant.",
		Example: "def f(float(N) A, int R) -> (s) { w(i,d) = A(i+d) where d in -R:R+1  s(i) +=! w(i,d) }",
		Fix:     "def f(float(N) A, int R) -> (s) { w(i,d) = A(i+d) where d in -R:R+1  s(i) +=! w(i,d) where d in -R:R+1 }",
	},
	{
		Code:  CodeNarrowed,
		Title: "An inferred range leaves out what is hardly meant to be left out (warning)",
		Explanation: "An inferred range is where all accesses of the statement are in bounds. Where a sum has several terms, one of them may so take values from another that it would have alone. " +
			"And an access that stands under a condition narrows the range even where it would not be read. The where clause says that the short range is meant; pad around a term says what it adds outside.",
		Example: "def f(float(N) x) -> (s) { s +=! x(i)*x(i) - x(i)*x(i+1) }",
		Fix:     "def f(float(N) x) -> (s) { s +=! x(i)*x(i) - pad(x(i)*x(i+1), 0) }",
	},
}
