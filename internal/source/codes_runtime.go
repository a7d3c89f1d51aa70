package source

// The codes of call time: what the arguments of one call do to the sizes.
const (
	MissingArgument Code = "E0601"
	WrongRank       Code = "E0602"
	UnknownArgument Code = "E0603"
	UnknownSize     Code = "E0604"
	ShapeMismatch   Code = "E0605"
	EmptySize       Code = "E0606"
	ConditionFailed Code = "E0607"
	EmptyRange      Code = "E0608"
	NegativeExtent  Code = "E0609"
	SizeArithmetic  Code = "E0610"
)

var runtimeCodes = []CodeInfo{
	{
		Code:  MissingArgument,
		Title: "An argument is missing",
		Explanation: `Every input of a function, and every output whose old value is read, has to be given by the
call. Only outputs that are written in full may be left out.`,
		Example: `def add(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }    # called with A only`,
		Fix:     `Pass an array for every input: A and B.`,
	},
	{
		Code:  WrongRank,
		Title: "An argument has the wrong number of dimensions",
		Explanation: `The declaration of a tensor fixes how many dimensions it has. An array with more or fewer is never
reshaped silently.`,
		Example: `def sum(float(M, N) A) -> (S) { S(i) +=! A(i, j) }    # called with an A of shape (6)`,
		Fix:     `Pass an A of shape (2, 3), or declare A as float(N).`,
	},
	{
		Code:        UnknownArgument,
		Title:       "There is no such argument or size",
		Explanation: `The call names an argument that the function does not declare. The help lists the declared ones.`,
		Example:     `def copy(float(N) A) -> (B) { B(i) = A(i) }    # called with X`,
		Fix:         `Pass the array under the name A.`,
	},
	{
		Code:  UnknownSize,
		Title: "Nothing determines a size",
		Explanation: `The value of a size comes from the shape of an input or from an integer argument. Where a size
occurs in outputs or ranges only, the call has to give it.`,
		Example: `def ones() -> (float(N) A) { A(i) = 1.0 where i in 0:N }    # called without a value for N`,
		Fix:     `Give the size with the call, for example -s N=8, or pass the output A preallocated.`,
	},
	{
		Code:  ShapeMismatch,
		Title: "A dimension of an argument has the wrong extent",
		Explanation: `A size that occurs in several dimensions has one value, and an output has the extents that its
ranges give. The notes say which argument gave each size its value.`,
		Example: `def mm(float(M, K) A, float(K, N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }    # A is (2, 3), B is (4, 5)`,
		Fix:     `Pass a B of shape (3, 5).`,
	},
	{
		Code:  EmptySize,
		Title: "A size is zero or negative",
		Explanation: `The ranges of a function are proved for sizes of at least 1. The empty case is accepted only
where the program says that it is meant.`,
		Example: `def mean(float(N) A) -> (S) { S +=! A(i) }    # called with an A of shape (0)`,
		Fix:     `def mean(float(N) A) -> (S) { S +=! A(i) where i or empty }`,
	},
	{
		Code:  ConditionFailed,
		Title: "A condition on the sizes does not hold",
		Explanation: `Some programs are in bounds for some sizes only. The condition was printed by 'ricci check' when
the program was accepted; the message names the access that needs it.`,
		Example: `def f(float(N) X, float(M) Y) -> (Z) { Z(i) = X(i) + Y(i + 3) where i in 0:N }    # called with M = N`,
		Fix:     `Pass a Y with at least N + 3 elements, or leave the range of i to be inferred.`,
	},
	{
		Code:  EmptyRange,
		Title: "The range of an index is empty",
		Explanation: `For the sizes of this call a range has no elements, so that the statement would silently compute
nothing. That is accepted only where the program says that it is meant.`,
		Example: `def conv(float(N) X, float(K) W) -> (Y) { Y(i) +=! X(i+k) * W(k) }    # called with N < K`,
		Fix:     `Pass arrays with N >= K, or write 'where i or empty'.`,
	},
	{
		Code:        NegativeExtent,
		Title:       "The extent of a tensor is negative",
		Explanation: `The extent of an output or a temporary is an expression over the sizes, and for this call its value is below zero.`,
		Example:     `def f(float(N) X) -> (float(M) Y) { Y(i) = X(i + 3) where i in 0:N-3 or empty }    # called with N = 2`,
		Fix:         `Pass sizes for which the extent is at least 0.`,
	},
	{
		Code:  SizeArithmetic,
		Title: "A size expression has no value",
		Explanation: `An extent or a range divides by a size that is 0 in this call, or its value does not fit in 64
bits.`,
		Example: `def f(float(N) X, int32 s) -> (Y) { Y(i) = X(i * s) where i in 0:N/s }    # called with s = 0`,
		Fix:     `Pass an s that is not 0.`,
	},
}
