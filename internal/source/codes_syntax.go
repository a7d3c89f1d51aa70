package source

// The codes of scanning and parsing.
const (
	CodeCharacter       Code = "E0101"
	CodeString          Code = "E0102"
	CodeNumber          Code = "E0103"
	CodeForeignComment  Code = "E0104"
	CodeExpected        Code = "E0105"
	CodeBracket         Code = "E0106"
	CodeSquareBracket   Code = "E0107"
	CodeForeignWord     Code = "E0108"
	CodeReserved        Code = "E0109"
	CodeArrow           Code = "E0110"
	CodeNoOutputs       Code = "E0111"
	CodeParameter       Code = "E0112"
	CodeTarget          Code = "E0113"
	CodeAssignment      Code = "E0114"
	CodeForeignOperator Code = "E0115"
	CodeTrailingComma   Code = "E0116"
	CodeWhere           Code = "E0117"
	CodeRangeCondition  Code = "E0118"
	CodeTooDeep         Code = "E0119"
	CodeDimension       Code = "E0120"
	CodeTypeWord        Code = "E0121"
	CodeOutsideDef      Code = "E0122"
	CodeSizeAccess      Code = "E0123"
	CodeNumberLike      Code = "E0124"
	CodeImport          Code = "E0125"
	CodeOperand         Code = "E0126"
	CodeEquals          Code = "E0127"
)

var syntaxCodes = []CodeInfo{
	{
		Code:  CodeCharacter,
		Title: "A character has no meaning in a program",
		Explanation: "Programs are written in ASCII: letters, digits, _ and the operators. Typographic characters, such as a long minus sign " +
			"or a non-breaking space, often come from copying out of a document. Outside of comments only the arrow → is accepted, for ->.",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i) × 2 }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) * 2 }",
	},
	{
		Code:        CodeString,
		Title:       "A string is not closed or is in the wrong quotes",
		Explanation: "The only strings are the paths of imports. They stand in double quotes and end in the line in which they start.",
		Example:     "import \"mlp.tc\ndef f(float A) -> (B) { B = A }",
		Fix:         "import \"mlp.tc\"\ndef f(float A) -> (B) { B = A }",
	},
	{
		Code:  CodeNumber,
		Title: "A number is malformed",
		Explanation: "Numbers are decimal integers (12), hexadecimal integers (0x1F) and decimal fractions (1.5, .5, 1., 3e-5, 1.0f). A number with " +
			"a fraction cannot be followed directly by letters.",
		Example: "def f(float(N) A) -> (B) { B(i) = 1.5x * A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = 1.5 * A(i) }",
	},
	{
		Code:        CodeForeignComment,
		Title:       "A comment is written as in another language",
		Explanation: "A comment starts with # and ends with its line. There are no comments of the forms // and /* */, and / is the only division.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) // twice\n}",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) # twice\n}",
	},
	{
		Code:  CodeExpected,
		Title: "Something else is expected here",
		Explanation: "The text does not follow the grammar at this place. The message says what was found and what may stand here. " +
			"The mistake is often just before the place.",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i) A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) * A(i) }",
	},
	{
		Code:        CodeBracket,
		Title:       "A parenthesis or brace has no partner",
		Explanation: "Each ( needs a ), and the body of a def stands between { and }.",
		Example:     "def f(float(N) A) -> (B) { B(i) = 2 * (A(i) + 1 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = 2 * (A(i) + 1) }",
	},
	{
		Code:        CodeSquareBracket,
		Title:       "Square brackets are not used",
		Explanation: "The elements of a tensor are written with parentheses and commas: A(i,j), not A[i][j] or A[i,j].",
		Example:     "def f(float(N) A) -> (B) { B(i) = A[i] }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeForeignWord,
		Title: "A statement is written as in another language",
		Explanation: "A body has only assignments. Loops are implied by the indices, whose ranges are inferred or given in a where clause; " +
			"a choice is a conditional expression; results are assigned to the names after ->.",
		Example: "def f(float(N) A) -> (B) { for i in 0:N { B(i) = A(i) } }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) where i in 0:N }",
	},
	{
		Code:        CodeReserved,
		Title:       "A reserved word is used as a name",
		Explanation: "The words def, where, in, exists, import, scan, min, max and the scalar types cannot be the name of a def, tensor, size or index.",
		Example:     "def f(float(N) in) -> (out) { out(i) = in(i) }",
		Fix:         "def f(float(N) input) -> (out) { out(i) = input(i) }",
	},
	{
		Code:        CodeArrow,
		Title:       "The arrow and the outputs are missing",
		Explanation: "After the inputs of a def come an arrow and the outputs in parentheses, also when there is only one.",
		Example:     "def f(float(N) A) { B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeNoOutputs,
		Title:       "A def has no outputs",
		Explanation: "A def without outputs computes nothing that anyone could see.",
		Example:     "def f(float(N) A) -> () { B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeParameter,
		Title: "A parameter is malformed",
		Explanation: "An input is a type followed by a name: float(M,K) A. The dimensions belong to the type. An output is a name, with a type " +
			"in front of it if it is not to be inferred. There are no default values.",
		Example: "def f(A(N)) -> (B) { B(i) = A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeTarget,
		Title: "A subscript on the left is not an index",
		Explanation: "The subscripts of the tensor that is assigned are points, B(0), or indices, perhaps with something added that is made of numbers and sizes: B(i+1). " +
			"With others, several values may go to one element, or none; every element of the tensor looks for its values on the right side instead.",
		Example: "def f(float(N) A) -> (B) { B(2*i) = A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(k) = k % 2 == 0 ? A(k/2) : 0 where k in 0:2*N }",
	},
	{
		Code:  CodeAssignment,
		Title: "An assignment operator is malformed or does not exist",
		Explanation: "The operators are = and the reductions += *= min= max= argmin= argmax=, each with or without ! for a reduction that starts " +
			"from its identity. They are written without spaces inside. Subtraction and division are not associative and hence no reductions.",
		Example: "def f(float(N) A) -> (B) { B + = A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B +=! A(i) }",
	},
	{
		Code:  CodeForeignOperator,
		Title: "An operator does not exist",
		Explanation: "The operators are + - * / % < > <= >= == != && || ! ?: and, on the bits of integers, & | ^ ~ << >>. Powers are pow(x, y); there is no unary plus; " +
			"a range is lo:hi.",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i)**2 }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) * A(i) }",
	},
	{
		Code:        CodeTrailingComma,
		Title:       "A comma is not followed by anything",
		Explanation: "A comma stands between the items of a list, not after the last.",
		Example:     "def f(float(N) A,) -> (B) { B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeWhere,
		Title: "A where clause is malformed",
		Explanation: "After where come, separated by commas: a range (i in 0:N), a name for a value (x = A(i)), a constraint (exists A(i)), " +
			"or a range that may be empty (i or empty).",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i) wher i in 0:N }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) where i in 0:N }",
	},
	{
		Code:        CodeRangeCondition,
		Title:       "A conditional in a range needs parentheses",
		Explanation: "In i in lo:hi the colon separates the bounds; a conditional has a colon as well.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) where i in N > 4 ? 4 : 0 : N }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) where i in (N > 4 ? 4 : 0) : N }",
	},
	{
		Code:        CodeTooDeep,
		Title:       "An expression is nested too deeply",
		Explanation: "Parentheses, calls and unary operators may be nested a thousand deep and an expression may have ten thousand operators in a row.",
		Fix:         "Split the expression: assign a part of it to a temporary first.",
	},
	{
		Code:  CodeDimension,
		Title: "A dimension of a type is not a name or a whole number",
		Explanation: "The dimensions of a type are sizes (names, whose values come from the arguments) or whole numbers. A size that depends on " +
			"others is inferred from the statements, so leave the type of an output away.",
		Example: "def f(float(N+1) A) -> (B) { B(i) = A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:  CodeTypeWord,
		Title: "A word is not a type",
		Explanation: "The types are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32 and float64, and the " +
			"short words int, byte, half, float and double.",
		Example: "def f(flaot(N) A) -> (B) { B(i) = A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeOutsideDef,
		Title:       "Something stands outside of a def",
		Explanation: "A file has imports and defs; statements stand in the body of a def.",
		Example:     "B(i) = A(i)",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeSizeAccess,
		Title:       "A size access is malformed",
		Explanation: "A.0 is the size of the first dimension of the tensor A, A.1 of the second: a name, a dot and a whole number.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) * A.n }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) * A.0 }",
	},
	{
		Code:  CodeNumberLike,
		Title: "A name looks like a number",
		Explanation: "Names may start with a digit, so 1_000 and 10f are names. Numbers have no digit separators and no suffix other than the f of " +
			"a number with a fraction or an exponent.",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i) * 2f }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) * 2.0f }",
	},
	{
		Code:        CodeImport,
		Title:       "An import is malformed",
		Explanation: "An import is the word import and the path of a file in double quotes, relative to the importing file. Imports come before everything else.",
		Example:     "import mlp\ndef f(float A) -> (B) { B = A }",
		Fix:         "import \"mlp.tc\"\ndef f(float A) -> (B) { B = A }",
	},
	{
		Code:        CodeOperand,
		Title:       "A value is expected here",
		Explanation: "An operator or a comma is not followed by a value: a number, a name, an access such as A(i,j), a call, or a parenthesis.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) * }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) * 2 }",
	},
	{
		Code:        CodeEquals,
		Title:       "An assignment stands inside an expression",
		Explanation: "Equality is compared with ==. A statement assigns once.",
		Example:     "def f(float(N) A) -> (B) { B(i) = (A(i) = 2) ? 1 : 0 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = (A(i) == 2) ? 1 : 0 }",
	},
}
