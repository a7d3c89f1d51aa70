package source

// The codes of MDH programs.
const (
	CodeMDHSyntax      Code = "E1001"
	CodeMDHName        Code = "E1002"
	CodeMDHTwice       Code = "E1003"
	CodeMDHType        Code = "E1004"
	CodeMDHCount       Code = "E1005"
	CodeMDHIndex       Code = "E1006"
	CodeMDHNegative    Code = "E1007"
	CodeMDHExtent      Code = "E1008"
	CodeMDHOverlap     Code = "E1009"
	CodeMDHUndefined   Code = "E1010"
	CodeMDHLaw         Code = "E1011"
	CodeMDHExchange    Code = "E1012"
	CodeMDHIterate     Code = "E1013"
	CodeMDHTooLarge    Code = "E1014"
	CodeMDHUnused      Code = "E1015"
	CodeMDHUndecidable Code = "E1016"
	CodeMDHStep        Code = "E1017"
)

var mdhCodes = []CodeInfo{
	{
		Code:        CodeMDHSyntax,
		Title:       "An MDH program is not written as the grammar says",
		Explanation: "A program has records, constants, functions, operators and computations; docs/mdh.md has the grammar. A computation composes three parts in a fixed order: out_view, md_hom, inp_view.",
		Example:     "dot<N> := md_hom<N>(*, (pw(+))) o inp_view<float32, float32>(x: (k) -> (k), y: (k) -> (k))",
		Fix:         "dot<N> := out_view<float32>(z: (k) -> ()) o md_hom<N>(*, (pw(+))) o inp_view<float32, float32>(x: (k) -> (k), y: (k) -> (k))",
	},
	{
		Code:        CodeMDHName,
		Title:       "A name of an MDH program is not known",
		Explanation: "Names are sizes and types of the computation, buffers, indices, constants, functions, operators, records and their fields. A scalar function sees the buffers as its parameters, in the order of inp_view, and the indices only when it names them behind a bar.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x * i, (++)) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x | i) -> x * float32(i), (++)) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHTwice,
		Title:       "A name of an MDH program is declared twice",
		Explanation: "Computations, functions, operators, constants and records of a file have names of their own, and so have the sizes, types and buffers of a computation. A buffer of records becomes one tensor for each field, called BUFFER_FIELD.",
		Example:     "const c = 1\nconst c = 2",
		Fix:         "const c = 1\nconst d = 2",
	},
	{
		Code:        CodeMDHType,
		Title:       "The types of an MDH program do not fit",
		Explanation: "Nothing is converted silently: both operands of an operation have one type, and a result has the type of its buffer. A literal takes the type of what it meets. A type's name converts: float32(i). Indices and sizes are int64.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x + 1, (++)) o inp_view<int32>(x: (i) -> (i))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> float32(x + 1), (++)) o inp_view<int32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHCount,
		Title:       "The number of things in an MDH program is wrong",
		Explanation: "An md_hom over D sizes has D combine operators, and every index function D indices; all index functions of a buffer have as many results. A scalar function has one parameter for each input buffer and one result for each access of an output.",
		Example:     "f<I, K> := out_view<float32>(y: (i, k) -> (i)) o md_hom<I, K>((x) -> x, (++)) o inp_view<float32>(x: (i, k) -> (i, k))",
		Fix:         "f<I, K> := out_view<float32>(y: (i, k) -> (i)) o md_hom<I, K>((x) -> x, (++, pw(+))) o inp_view<float32>(x: (i, k) -> (i, k))",
	},
	{
		Code:        CodeMDHIndex,
		Title:       "An index function or size is not static",
		Explanation: "Index functions, extents and the sizes of md_hom are made of indices, sizes, whole numbers, + - * and, by positive numbers and sizes, / and %. They cannot depend on data.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (N / (i + 1)))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i / 2))",
	},
	{
		Code:        CodeMDHNegative,
		Title:       "An index function has a negative result",
		Explanation: "The subscripts of a buffer count from 0 (Definition 5 of the paper). Shift the index function so that its least value is 0; the extent of the buffer follows.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i - 1))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHExtent,
		Title:       "A declared extent is smaller than what the index functions reach",
		Explanation: "The extent of a buffer is one more than the greatest result of its index functions (Definitions 8 and 10). A declared extent must be at least that; what depends on sizes is a condition of every call.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32[N]>(x: (i) -> (i + 1))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32[N + 1]>(x: (i) -> (i + 1))",
	},
	{
		Code:        CodeMDHOverlap,
		Title:       "Two points write one cell of an output",
		Explanation: "The index functions of an output must map the points that are kept, those of ++ and ps, to different cells; the index of a pw is 0 there. The word injective behind the index functions states what cannot be proved. Points that meet in one cell are combined by an operator: pw instead of ++.",
		Example:     "f<I, K> := out_view<float32>(y: (i, k) -> (i)) o md_hom<I, K>((x) -> x, (++, ++)) o inp_view<float32>(x: (i, k) -> (i, k))",
		Fix:         "f<I, K> := out_view<float32>(y: (i, k) -> (i)) o md_hom<I, K>((x) -> x, (++, pw(+))) o inp_view<float32>(x: (i, k) -> (i, k))",
	},
	{
		Code:        CodeMDHUndefined,
		Title:       "Cells of an output are written by no point",
		Explanation: "Definition 10 leaves the cells outside of the index functions undefined. Every cell of an output needs a value: index functions that reach all of them, or a fill.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (2 * i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (2 * i) fill 0) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHLaw,
		Title:       "An operator breaks a law of combine operators",
		Explanation: "Results are combined in any grouping and order, so the operator of pw must be associative and commutative, that of ps associative; both are tried on random values. 'assume associative, commutative' accepts an operator whose laws hold for the values that occur, or up to rounding; 'ordered' one that is to be applied from the first index to the last.",
		Example:     "op minus(l, r) = l - r\nf<N> := out_view<float32>(y: (i) -> ()) o md_hom<N>((x) -> x, (pw(minus))) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "op minus(l, r) = l - r ordered\nf<N> := out_view<float32>(y: (i) -> ()) o md_hom<N>((x) -> x, (pw(minus))) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHExchange,
		Title:       "Two combine operators cannot be exchanged",
		Explanation: "md_hom is a homomorphism if its result does not depend on which dimension is split first. Lemma 1 of the paper has it for ++ and pw of one operator. Different operators must satisfy (a ⊗ b) ⊕ (c ⊗ d) = (a ⊕ c) ⊗ (b ⊕ d), which is tried on random values. 'assume exchange' in md_hom accepts the mix, 'ordered' fixes the order: the last dimension is combined first.",
		Example:     "f<I, J> := out_view<float32>(y: (i, j) -> ()) o md_hom<I, J>((x) -> x, (pw(max), pw(+))) o inp_view<float32>(x: (i, j) -> (i, j))",
		Fix:         "f<I, J> := out_view<float32>(y: (i, j) -> ()) o md_hom<I, J>((x) -> x, (pw(max), pw(+)), ordered) o inp_view<float32>(x: (i, j) -> (i, j))",
	},
	{
		Code:        CodeMDHIterate,
		Title:       "An iteration is not bounded by a number",
		Explanation: "'iterate N with (x: T = a) while c do next' takes at most N steps, and N is a number: the steps are written out. Longer iterations are reductions over an index of their own, by an ordered operator.",
		Example:     "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> iterate N with (z: float32 = x) do z * z, (++)) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> iterate 8 with (z: float32 = x) do z * z, (++)) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHTooLarge,
		Title:       "A scalar function becomes too large",
		Explanation: "Functions are written out where they are called, and iterations step by step. The result must stay below a limit, because C compilers take very long for it otherwise.",
		Fix:         "Use fewer steps, or a reduction over an index of its own instead of an iteration.",
	},
	{
		Code:        CodeMDHUnused,
		Title:       "Something of an MDH program is not used (warning)",
		Explanation: "A size, or a buffer that the scalar function never reads, is often a misspelt name.",
		Example:     "f<N, M> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x, (++)) o inp_view<float32>(x: (i) -> (i))",
	},
	{
		Code:        CodeMDHUndecidable,
		Title:       "A law of an operator cannot be decided",
		Explanation: "The laws are tried on random values; where all results are infinite or not a number, nothing is learnt.",
		Example:     "op f(l, r) = sqrt(-1 - l * l) + r\ng<N> := out_view<float32>(y: (i) -> ()) o md_hom<N>((x) -> x, (pw(f))) o inp_view<float32>(x: (i) -> (i))",
		Fix:         "State the law: assume associative, commutative.",
	},
	{
		Code:        CodeMDHStep,
		Title:       "The steps of a composition do not fit",
		Explanation: "The extents of a buffer are those that the step gives it which makes it, or those of its declaration. Every step that reads it computes extents by its index functions as well (Definition 8), and they must be the same; what depends on sizes is a condition of every call. The sizes of a step follow from the buffers to which it is applied, or are said: f<N, M>(x).",
		Example:     "shorter<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x[1] + x[2], (++)) o inp_view<float32>(x: (i) -> (i), (i) -> (i + 1))\nproduct<N> := out_view<float32>(z: (i) -> (i)) o md_hom<N>(*, (++)) o inp_view<float32, float32>(x: (i) -> (i), y: (i) -> (i))\nf<N> := (x: float32[N + 1]) -> (z) where y := shorter(x); z := product(x, y)",
		Fix:         "shorter<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x[1] + x[2], (++)) o inp_view<float32>(x: (i) -> (i), (i) -> (i + 1))\nproduct<N> := out_view<float32>(z: (i) -> (i)) o md_hom<N>(*, (++)) o inp_view<float32[N + 1], float32>(x: (i) -> (i), y: (i) -> (i))\nf<N> := (x: float32[N + 1]) -> (z) where y := shorter(x); z := product(x, y)",
	},
}
