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
	OutOfBounds     Code = "E0611"
	EmptyReduction  Code = "E0612"
	ConflictingSize Code = "E0613"

	// The codes of compiled kernels and their calls.
	UnknownDef         Code = "E0620"
	WrongElementType   Code = "E0621"
	WrongStrides       Code = "E0622"
	CompiledForOther   Code = "E0623"
	WrongArgumentCount Code = "E0625"
	UnusableArgument   Code = "E0626"
	NoSuchTarget       Code = "E0627"
	ResultsDiffer      Code = "E0628"
	DynamicBounds      Code = "E0629"
	NothingCompared    Code = "E0630"
	GuardTripped       Code = "E0631"
	TooMuchMemory      Code = "E0632"
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
where the program says that it is meant, by 'or empty' in Tensor Comprehensions. MDH, TeIL and TeML have no words for
it: there all sizes are at least 1, so call the function for arrays that are not empty.`,
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
		Code:  ConflictingSize,
		Title: "A size is given twice, with different values",
		Explanation: `The value of an integer argument is also a size of the program, and the call gives the size under
its own name as well, with another value.`,
		Example: `def f(float(N) X, int32 s) -> (Y) { Y(i) = X(i + s) where i in 0:N-s }    # called with s = 2 and -s s=3`,
		Fix:     `Give the argument or the size, not both.`,
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
		Title: "A size expression has no value, or one that is too large",
		Explanation: `An extent, a range or a number made of sizes, such as one in a subscript, divides by a size that
is 0 in this call, or its value does not fit in 64 bits. The number of bytes of an array must fit in 48 bits, as the
addresses of a process do.`,
		Example: `def f(float(N) X, int32 s) -> (Y) { Y(i) = X(i * s) where i in 0:N/s }    # called with s = 0`,
		Fix:     `Pass an s that is not 0, or smaller sizes.`,
	},
	{
		Code:  UnknownDef,
		Title: "There is no such def",
		Explanation: `The name is not that of a def of the program or of a file that it imports. Names are compared
letter by letter.`,
		Example: `def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }    # run as matmul`,
		Fix:     `Use the name mm.`,
	},
	{
		Code:  WrongElementType,
		Title: "An argument has the wrong element type",
		Explanation: `The declaration of a tensor fixes the type of its elements. Arrays of another type are never
converted silently: a conversion costs time and may lose digits.`,
		Example: `def twice(float(N) A) -> (B) { B(i) = A(i) + A(i) }    # called with an array of float64`,
		Fix:     `Convert the array to float32, or declare double(N) A.`,
	},
	{
		Code:  WrongStrides,
		Title: "An argument lies in memory in another way than the kernel was compiled for",
		Explanation: `A kernel is compiled for the strides of its arguments: a transposed or sliced view is another kernel
than a dense array. Kernel.Run works on the memory that it is given and makes no hidden copies.`,
		Fix: `Compile with the views as example arguments (CompileFor), pass a dense copy, or call RunNamed or Def.Run, which copy or recompile.`,
	},
	{
		Code:  CompiledForOther,
		Title: "The kernel was compiled for other sizes",
		Explanation: `Sizes are constants of a compiled kernel, except those that were named in Options.Dynamic. A call
with other sizes needs another kernel.`,
		Fix: `Call Def.RunInto with the same arguments, or Def.Run: they choose the kernel by themselves. Or compile one kernel for all
values of a size, by its name in Options.Dynamic.`,
	},
	{
		Code:        WrongArgumentCount,
		Title:       "A call has too few or too many arguments",
		Explanation: `Kernel.Run takes the inputs in the order of the declaration, then the outputs, preallocated.`,
		Example:     `def add(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }    # called as Run(ctx, a, b)`,
		Fix:         `Run(ctx, a, b, c), or RunNamed, which allocates C.`,
	},
	{
		Code:  UnusableArgument,
		Title: "An argument cannot be used",
		Explanation: `A nil or closed tensor has no elements, and an output whose elements share memory (a broadcast view)
cannot hold the results. A tensor in the memory of a device can be used by kernels on that device alone, and a scalar that is a size
has to be on the host, since the kernel hangs on its value.`,
		Fix: `Pass an open tensor; for an output one in which every element has its own place. For one on a device pass a copy made with
ToHost, or call with the opened device that gave its memory (Options.On).`,
	},
	{
		Code:  NoSuchTarget,
		Title: "The target is not available",
		Explanation: `The target c needs gcc or clang and a system on which compiled code can be loaded; 'ricci doctor' says
what was found. The target eval is always there, and auto takes the best one. A level of instructions is one of those that the
machine has, at hand or given by --machine; the message lists them.`,
		Fix: `Install gcc or clang, name a compiler in RICCI_CC, or use the target auto or eval; leave out the level.`,
	},
	{
		Code:  ResultsDiffer,
		Title: "A result differs from the reference evaluator",
		Explanation: `What a float may be off follows from the operations that its value is made of, for these very
numbers; integers, and what is computed on whole numbers that are chosen so that nothing rounds, have to be equal. A
difference is a defect of the compiled code.`,
		Fix: `Report a bug, with the program and the element that the message names.`,
	},
	{
		Code:  NothingCompared,
		Title: "Nothing of a result could be compared",
		Explanation: `A check compares what does not hang on a rounding. Of this output every element does: it truncates or
compares numbers that are within their rounding error of the place where the outcome changes, divides by what may be zero, or
overflows; or elements could neither be evaluated on their own nor at smaller sizes. Nothing is known about the result.`,
		Fix: `Check with other numbers or smaller sizes, or with --check=all, which evaluates every element.`,
	},
	{
		Code:  TooMuchMemory,
		Title: "The temporaries of a program do not fit into memory",
		Explanation: `What statements leave for others lies in memory unless the statements are computed together. For these sizes it is
more than the limit: three quarters of what is available, or what --memory or Options.Memory says. A machine that
begins to swap would take a hundred times as long, or end other programs.`,
		Example: `ricci run f.tc f -s N=100000 --memory 1GB    # with T(i,j) = exp(A(i,j)), which two sums read`,
		Fix: `The message names the largest ones, and the line "# memory" of ricci show --stage schedule all that count. Write their values
into the statements that read them, call the def for parts of its arguments, or raise the limit: --memory 40GB.`,
	},
	{
		Code:  GuardTripped,
		Title: "A guarded sum was computed as it is written",
		Explanation: `With --numerics default Ricci computes some sums with fewer operations: factors are taken out of them, or products
are formed in another order. What overflows on the way is noticed in the results, and the sum is computed once more,
with the products of the text. So the numbers are right, and the call took as long as both. It is said once for a kernel.`,
		Example: `def f(float(N,K) A, float(K,M) B, float s) -> (C) { C(i,j) +=! s*A(i,k)*B(k,j) }    # with A of 1e30, B of 1e30 and s of 1e-30`,
		Fix: `Nothing, if infinities or NaNs are what the data say. Otherwise scale the values, or compile with --numerics strict, which
has no guards and keeps the order of sums as well.`,
	},
	{
		Code:  DynamicBounds,
		Title: "Bounds are not proved for dynamic sizes",
		Explanation: `Ricci compiles a kernel only when every access is proved to be in bounds. With constant sizes the
proof is about numbers; with dynamic ones it is about products of unknowns, and for this program it was not found.`,
		Example: `ricci run f.tc f --dynamic N    # where subscripts divide by products of N`,
		Fix:     `Leave the size out of --dynamic: a kernel is then made, and kept, for each of its values.`,
	},
	{
		Code:  OutOfBounds,
		Title: "An access is out of bounds",
		Explanation: `The subscript of this access depends on values that are only known when the program runs, and for
the element named in the notes it lies outside the tensor.`,
		Example: `def gather(float(N) X, int32(M) I) -> (Y) { Y(i) = X(I(i)) }    # called with an I that holds N`,
		Fix:     `Pass subscripts from 0 to N - 1, or write Y(i) = clamp(X(I(i))) or Y(i) = pad(X(I(i)), 0).`,
	},
	{
		Code:  EmptyReduction,
		Title: "An empty reduction has no value",
		Explanation: `The range of a reduced index has no elements, and the operator has no identity that could be the
result.`,
		Example: `An operator without identity, reduced over an index that is marked 'or empty', called with no elements.`,
		Fix:     `Pass at least one element, or declare the identity of the operator.`,
	},
}
