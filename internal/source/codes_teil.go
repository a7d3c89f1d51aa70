package source

// The codes of TeIL programs.
const (
	CodeTeILSyntax  Code = "E1101"
	CodeTeILName    Code = "E1102"
	CodeTeILTwice   Code = "E1103"
	CodeTeILType    Code = "E1104"
	CodeTeILShape   Code = "E1105"
	CodeTeILWrite   Code = "E1106"
	CodeTeILUnset   Code = "E1107"
	CodeTeILCall    Code = "E1108"
	CodeTeILSize    Code = "E1109"
	CodeTeILApply   Code = "E1110"
	CodeTeILUnused  Code = "E1111"
	CodeTeILElement Code = "E1112"
	CodeTeILFold    Code = "E1113"
)

var teilCodes = []CodeInfo{
	{
		Code:        CodeTeILSyntax,
		Title:       "A TeIL program is not written as the grammar says",
		Explanation: "A program is a list of allocations and then a list of statements x = e. Operations stand before their operands, after their positions and sizes: red+ i e, diag i0 i1 e, expa i n e. docs/teil.md has the grammar.",
		Example:     "alloc A : [4, 4] in\nalloc t : [4] out\nt = diag 1 A",
		Fix:         "alloc A : [4, 4] in\nalloc t : [4] out\nt = diag 1 2 A",
	},
	{
		Code:        CodeTeILName,
		Title:       "A name of a TeIL program is not known",
		Explanation: "Expressions are made of allocated names, numbers and operations; a size is a number, a param, or a free name of a dimension (rules T-Var and OK-Stmt).",
		Example:     "alloc A : [4] in\nalloc B : [4] out\nB = add A X",
		Fix:         "alloc A : [4] in\nalloc B : [4] out\nB = add A A",
	},
	{
		Code:        CodeTeILTwice,
		Title:       "A name of a TeIL program is declared twice",
		Explanation: "The names of the allocations of a program are pairwise distinct (the side condition of rule OK-Prog), and so are the programs of a file and its params.",
		Example:     "alloc A : [4] in\nalloc A : [4] out\nA = A",
		Fix:         "alloc A : [4] in\nalloc B : [4] out\nB = A",
	},
	{
		Code:        CodeTeILType,
		Title:       "An expression breaks a typing rule of TeIL",
		Explanation: "Every operation has a rule of Figure 8, which the message names: T-Add wants two operands of one shape, T-Diag two dimensions of one size, T-Proj a slice that is there. Nothing is broadcast and no dimension is guessed. Sizes are equal when they are the same expression; that one is at least another is proved, refused, or a condition of every call.",
		Example:     "alloc A : [4, 5] in\nalloc d : [4] out\nd = diag 1 2 A",
		Fix:         "alloc A : [5, 5] in\nalloc d : [5] out\nd = diag 1 2 A",
	},
	{
		Code:        CodeTeILShape,
		Title:       "A TeIL statement assigns another shape than the name has",
		Explanation: "Rule OK-Stmt: the expression has the shape with which the name was allocated.",
		Example:     "alloc A : [4, 5] in\nalloc B : [4, 5] out\nB = transp 1 2 A",
		Fix:         "alloc A : [4, 5] in\nalloc B : [5, 4] out\nB = transp 1 2 A",
	},
	{
		Code:        CodeTeILWrite,
		Title:       "A TeIL program writes an input, or leaves an output unwritten",
		Explanation: "An allocation marked in is only read, one marked out is assigned at least once. What is read and assigned, and keeps its value from before the call, is marked inout.",
		Example:     "alloc A : [4] in\nalloc B : [4] out\nA = add A A",
		Fix:         "alloc A : [4] inout\nA = add A A",
	},
	{
		Code:        CodeTeILUnset,
		Title:       "A tensor is read before it is assigned (warning)",
		Explanation: "The paper leaves the first contents of memory open. Here such a tensor begins with zeros; an assignment before says so, and inout takes the value of the caller.",
		Example:     "alloc A : [4] in\nalloc B : [4] out\nB = add B A",
		Fix:         "alloc A : [4] in\nalloc B : [4] inout\nB = add B A",
	},
	{
		Code:        CodeTeILCall,
		Title:       "A call of a TeIL program does not fit",
		Explanation: "A call f(A, B) is the whole right side of a statement. It gives what f marks in and inout, in the order of the allocations, and assigns what f marks out and inout: (x, y) = f(A, B). A program cannot call itself.",
		Example:     "def f\nalloc A : [n] in\nalloc B : [n] out\nB = add A A\ndef g\nalloc A : [n] in\nalloc B : [n] out\nB = f(A, A)",
		Fix:         "def f\nalloc A : [n] in\nalloc B : [n] out\nB = add A A\ndef g\nalloc A : [n] in\nalloc B : [n] out\nB = f(A)",
	},
	{
		Code:        CodeTeILSize,
		Title:       "A size of a TeIL program is not a natural number",
		Explanation: "Sizes and positions are at least 1, there is no empty dimension. The sizes of a program are fixed by the dimensions of its inputs and outputs, so every size must occur in one of these.",
		Example:     "alloc A : [0] in\nalloc s : [] out\ns = red+ 1 A",
		Fix:         "alloc A : [1] in\nalloc s : [] out\ns = red+ 1 A",
	},
	{
		Code:        CodeTeILApply,
		Title:       "An operator does not fit what it is applied to",
		Explanation: "A matrix [m, n] is an operator from n to m, * makes the tensor product of operators, + and - and a scalar in front their linear combinations, . their composition, id n is the identity. An operator stands in parentheses and is applied to a tensor whose dimensions are its inputs: (A * B)(u).",
		Example:     "alloc A : [4, 5] in\nalloc u : [4, 4] in\nalloc v : [4, 4] out\nv = (A * A)(u)",
		Fix:         "alloc A : [4, 5] in\nalloc u : [5, 5] in\nalloc v : [4, 4] out\nv = (A * A)(u)",
	},
	{
		Code:        CodeTeILUnused,
		Title:       "An allocation of a TeIL program is not used (warning)",
		Explanation: "A tensor that no statement reads, and that is no output, is often a misspelt name.",
		Example:     "alloc A : [4] in\nalloc X : [4] in\nalloc B : [4] out\nB = add A A",
		Fix:         "alloc A : [4] in\nalloc B : [4] out\nB = add A A",
	},
	{
		Code:        CodeTeILElement,
		Title:       "The element types of a TeIL expression differ",
		Explanation: "The operands of an operation have one element type and nothing is converted. An allocation without a type is double; a number takes the type of what it meets. Functions such as sqrt are of floats.",
		Example:     "alloc A : [4] in\nalloc B : float [4] in\nalloc C : [4] out\nC = add A B",
		Fix:         "alloc A : [4] in\nalloc B : [4] in\nalloc C : [4] out\nC = add A B",
	},
	{
		Code:        CodeTeILFold,
		Title:       "A fold of a TeIL program does not say how tuples are combined",
		Explanation: "A fold combines two tuples of numbers. It has one name, one parameter on each side and one expression for each component of them, and the expressions know the parameters alone: they are made of operations on numbers.",
		Example:     "alloc A : [n] in\nalloc s : [] out\nfold sum, count (a, m) (b, n) = a + b\ns = sum 1 A (expa 1 n 1)",
		Fix:         "alloc A : [n] in\nalloc s : [] out\nfold sum, count (a, m) (b, n) = a + b, m + n\ns = sum 1 A (expa 1 n 1)",
	},
}
