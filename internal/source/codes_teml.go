package source

// The codes of TeML meta-programs.
const (
	CodeTeMLSyntax     Code = "E1201"
	CodeTeMLName       Code = "E1202"
	CodeTeMLKind       Code = "E1203"
	CodeTeMLCount      Code = "E1204"
	CodeTeMLIterators  Code = "E1205"
	CodeTeMLRank       Code = "E1206"
	CodeTeMLSize       Code = "E1207"
	CodeTeMLBounds     Code = "E1208"
	CodeTeMLUndeclared Code = "E1209"
	CodeTeMLTarget     Code = "E1210"
	CodeTeMLReduction  Code = "E1211"
	CodeTeMLType       Code = "E1212"
	CodeTeMLBuild      Code = "E1213"
	CodeTeMLCodegen    Code = "E1214"
	CodeTeMLDepth      Code = "E1215"
	CodeTeMLOption     Code = "E1216"
	CodeTeMLLoops      Code = "E1217"
	CodeTeMLIdle       Code = "E1218"
)

var temlCodes = []CodeInfo{
	{
		Code:        CodeTeMLSyntax,
		Title:       "A TeML meta-program is not written as the grammar says",
		Explanation: "A meta-program is a sequence of statements, each on a line of its own: id = expression, id = @tensor: expression, init(…), codegen(…), functions and options; docs/teml.md has the grammar.",
		Example:     "A = tensor([8, 8)\nB = transpose(A, [[1, 2]])",
		Fix:         "A = tensor([8, 8])\nB = transpose(A, [[1, 2]])",
	},
	{
		Code:        CodeTeMLName,
		Title:       "A name of a TeML meta-program is not known",
		Explanation: "A tensor or loop is used after the statement that defines it; a function is one of the program, wherever that declares it, of std.teml, or built in. Names that nobody defines are sizes in the shape of a tensor, and iterators in a list of iterators; nowhere else. A name has one meaning: functions are declared once, and what is a size in a shape is no constant further down.",
		Example:     "A = tensor([N, N])\nB = transpos(A, [[1, 2]])",
		Fix:         "A = tensor([N, N])\nB = transpose(A, [[1, 2]])",
	},
	{
		Code:        CodeTeMLKind,
		Title:       "A value of a TeML meta-program is of the wrong kind",
		Explanation: "Values are tensor expressions (the paper's T), loops (its L), whole numbers and sizes, literals, truth values and lists. build takes an assignment, transformations take loops, arithmetic takes numbers; vop and op take tensor expressions.",
		Example:     "A = tensor([N, N])\nB = transpose(A, [[1, 2]])\nl = interchange(B, 1, 2)",
		Fix:         "A = tensor([N, N])\nB = transpose(A, [[1, 2]])\nl = build(B)\nl1 = interchange(l, 1, 2)\ncodegen(l1)",
	},
	{
		Code:        CodeTeMLCount,
		Title:       "There are too many or too few of something in a TeML meta-program",
		Explanation: "Functions and operations have a number of parameters; a list counts as one. vop and op have one list of iterators for each operand. Dimensions, and the entries of lists, are counted from 1, and a dimension that is named must be there; contract and transpose name pairs of them.",
		Example:     "A = tensor([N])\nB = tensor([N])\nC = add(A, B, [[i]] -> [i])",
		Fix:         "A = tensor([N])\nB = tensor([N])\nC = add(A, B, [[i], [i]] -> [i])",
	},
	{
		Code:        CodeTeMLIterators,
		Title:       "The iterators of an operand are missing",
		Explanation: "The where-clauses of Equations 14 and 15: a tensor has no iterators of its own (ε), so an operand that names one must give them. They may be left out where the operand is an expression, which has iterators already, or a scalar, which has none (•).",
		Example:     "A = tensor([N])\nB = tensor([N])\nC = add(A, B, [[i], ] -> [i])",
		Fix:         "A = tensor([N])\nB = tensor([N])\nC = add(A, B, [[i], [i]] -> [i])",
	},
	{
		Code:        CodeTeMLRank,
		Title:       "The rank of a tensor does not fit",
		Explanation: "A list of iterators has one entry for each dimension of the tensor, or for each free iterator of the expression, that it indexes. The operands of entrywise operations have one rank.",
		Example:     "A = tensor([N, N])\nB = eq(A, [i] -> [i])",
		Fix:         "A = tensor([N, N])\nB = eq(A, [i, i] -> [i])",
	},
	{
		Code:        CodeTeMLSize,
		Title:       "The sizes of a TeML statement contradict each other",
		Explanation: "An iterator that indexes several dimensions by itself has one range, so these dimensions have one size. The range of an iterator that occurs only in sums such as h + kh must follow from the others.",
		Example:     "A = tensor([4, 6])\nB = tensor([4, 6])\nC = contract(A, B, [2, 1])",
		Fix:         "A = tensor([4, 6])\nB = tensor([6, 4])\nC = contract(A, B, [2, 1])",
	},
	{
		Code:        CodeTeMLBounds,
		Title:       "A subscript leaves its dimension",
		Explanation: "The ranges of iterators are inferred such that plain and shifted subscripts stay inside. A sum of iterators that are all determined elsewhere must stay inside too; where that depends on sizes it is a condition of every call.",
		Example:     "A = tensor([10])\nK = tensor([3])\nO = tensor([10])\nt = vmul(A, K, [[i + k], [k]])\nO = add(O, t, [[i], ] -> [i])\nP = eq(A, [12] -> [])",
		Fix:         "A = tensor([10])\nP = eq(A, [9] -> [])",
	},
	{
		Code:        CodeTeMLUndeclared,
		Title:       "A tensor is assigned that was not introduced",
		Explanation: "With \"option strict\" a tensor that is assigned must have been introduced with tensor or scalar, as the paper demands. Without it a tensor with the inferred shape is introduced. A tensor of which only some elements are assigned must be introduced in any case, since the rest keeps its values.",
		Example:     "option strict\nA = tensor([N, N])\nB = transpose(A, [[1, 2]])",
		Fix:         "option strict\nA = tensor([N, N])\nB = tensor([N, N])\nB = transpose(A, [[1, 2]])",
	},
	{
		Code:        CodeTeMLTarget,
		Title:       "The left side of an assignment is not possible",
		Explanation: "Each element is written once: an iterator on the left stands alone in one of the subscripts, with a factor or an offset at most. An assignment computes all values before it writes any, so it may read its own tensor at the same place only; a recurrence over neighbours is no TeML statement.",
		Example:     "A = tensor([N])\nB = tensor([N])\nB = add(A, B, [[i], [i - 1]] -> [i])",
		Fix:         "A = tensor([N])\nB = tensor([N])\nC = add(A, B, [[i + 1], [i]] -> [i])",
	},
	{
		Code:        CodeTeMLReduction,
		Title:       "Nothing says how values along an iterator are combined",
		Explanation: "An iterator that does not occur on the left is reduced. That needs an accumulator: the target itself as an operand with the iterators of the left side, t = add(t, x, [I, ] -> I), or mul; contract and vcontract have theirs.",
		Example:     "A = tensor([N, M])\nB = eq(A, [i, j] -> [i])",
		Fix:         "A = tensor([N, M])\na = veq(A, [i, j])\nB = add(B, a, [[i], ] -> [i])",
	},
	{
		Code:        CodeTeMLType,
		Title:       "The element types of a TeML statement do not fit",
		Explanation: "The tensors of a statement have one element type: double, or that of \"option type\", or the first argument of tensor and scalar. A literal takes the type of what it meets.",
		Example:     "A = tensor(float32, [N])\nB = tensor(float64, [N])\nC = entrywise_add(A, B)",
		Fix:         "A = tensor(float32, [N])\nB = tensor(float32, [N])\nC = entrywise_add(A, B)",
	},
	{
		Code:        CodeTeMLBuild,
		Title:       "build needs an assignment",
		Explanation: "The where-clause of Equation 19: loops are built around assignments, which eq, op and what is made of them yield. A tensor that was only introduced, and a virtual expression, have no loops.",
		Example:     "A = tensor([N])\nB = tensor([N])\nt = vadd(A, B, [[i], [i]])\nl = build(t)",
		Fix:         "A = tensor([N])\nB = tensor([N])\nt = add(A, B, [[i], [i]] -> [i])\nl = build(t)\ncodegen(l)",
	},
	{
		Code:        CodeTeMLCodegen,
		Title:       "codegen cannot make a function of these loops",
		Explanation: "codegen takes loops, each assignment at most once; what they compute must be what the assignments in their order compute. Several codegen in a file have names.",
		Example:     "A = tensor([N, N])\nB = transpose(A, [[1, 2]])\nl = build(B)\ncodegen(l, l)",
		Fix:         "A = tensor([N, N])\nB = transpose(A, [[1, 2]])\nl = build(B)\ncodegen(l)",
	},
	{
		Code:        CodeTeMLDepth,
		Title:       "A TeML function does not end",
		Explanation: "Functions may call themselves, up to a depth that no sensible program reaches, and a meta-program has a limited number of steps. A recursion needs an if that stops it.",
		Example:     "fun f(n) = f(n + 1)\nN = f(1)\nA = tensor([N])\nB = eq(A, [i] -> [i])",
		Fix:         "fun f(n) = if n < 8 then f(n + 1) else n\nN = f(1)\nA = tensor([N])\nB = eq(A, [i] -> [i])",
	},
	{
		Code:        CodeTeMLOption,
		Title:       "An option of a TeML meta-program is not known",
		Explanation: "The options are: strict (tensors must be introduced before they are assigned) and type NAME (the element type of tensors that name none).",
		Example:     "option strikt\nA = tensor([N])\nB = eq(A, [i] -> [i])",
		Fix:         "option type float32\nA = tensor([N])\nB = eq(A, [i] -> [i])",
	},
	{
		Code:        CodeTeMLLoops,
		Title:       "A TeML meta-program makes loops and generates nothing of them",
		Explanation: "Transformations return loops and change nothing else: behind l1 = parallelize(l, 1) the loops of l are what they were. codegen makes a function of loops. Without it the program is one function of all assignments with Ricci's own schedule, and loops that neither a codegen nor a transformation uses are made in vain. So is an assignment that no codegen computes, neither by loops that it lists nor because these need it. This is a warning.",
		Example:     "A = tensor([N])\nB = eq(A, [i] -> [i])\nl = build(B)\nl1 = parallelize(l, 1)",
		Fix:         "A = tensor([N])\nB = eq(A, [i] -> [i])\nl = build(B)\nl1 = parallelize(l, 1)\ncodegen(l1)",
	},
	{
		Code:        CodeTeMLIdle,
		Title:       "A mark or a place of a TeML meta-program has no effect",
		Explanation: "Threads run one loop on the way to a statement, or several directly below each other: a parallel loop further in runs in order. For some vectors, such as those along a diagonal of blocks, there is no code; their loops are not refused for that. Such a loop must keep the dependences all the same. A block that promote or pack makes of a tensor is of no use where nothing inside of the level uses the tensor. Nor is there a block whose size is not known, as with --dynamic, or that is larger than the stack of a thread: what it would have held is used where it is. show --stage steps says at the loops what has no effect. This is a warning.",
		Example:     "A = tensor([8, 9, 10])\nB = eq(A, [i, j, k] -> [i, j, k])\nl = parallelize(parallelize(build(B), 1), 3)\ncodegen(l)",
		Fix:         "A = tensor([8, 9, 10])\nB = eq(A, [i, j, k] -> [i, j, k])\nl = parallelize(parallelize(build(B), 1), 2)\ncodegen(l)",
	},
}
