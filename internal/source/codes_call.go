package source

// The codes of calls, concat and imports.
const (
	CodeCallPlace     Code = "E0501"
	CodeCallArguments Code = "E0502"
	CodeCallResults   Code = "E0503"
	CodeRecursion     Code = "E0504"
	CodeCallForm      Code = "E0505"
	CodeImportFailed  Code = "E0506"
	CodeDuplicateDef  Code = "E0507"
	CodeConcat        Code = "E0508"
	CodeCallShapes    Code = "E0509"
	CodeCallsTooMany  Code = "E0510"
	CodeShifted       Code = "E0511"
	CodeImportCircle  Code = "E0512"
	CodeLoopsStay     Code = "E0513"
)

var callCodes = []CodeInfo{
	{
		Code:        CodeCallPlace,
		Title:       "A def is called inside an expression",
		Explanation: "A call makes whole tensors, so it is a statement of its own.",
		Example:     "def g(float(N) A) -> (B) { B(i) = A(i) }\ndef f(float(N) A) -> (C) { C(i) = 2 * g(A) }",
		Fix:         "def g(float(N) A) -> (B) { B(i) = A(i) }\ndef f(float(N) A) -> (C) { t = g(A)  C(i) = 2 * t(i) }",
	},
	{
		Code:        CodeCallArguments,
		Title:       "The arguments of a call do not fit",
		Explanation: "Arguments are given in the order of the inputs: for a tensor one of the same type and rank, a part of one, as A(m), or a call; for a scalar an expression. A scalar that the def uses in subscripts or ranges must be known when the call starts. Callers in other notations pass whole tensors.",
		Example:     "def g(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }\ndef f(float(N) A) -> (C) { C = g(A) }",
		Fix:         "def g(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }\ndef f(float(N) A) -> (C) { C = g(A, A) }",
	},
	{
		Code:        CodeCallResults,
		Title:       "The results of a call do not fit",
		Explanation: "A call needs a target for each result, in the order of the outputs. The targets are new tensors and have the types of the results.",
		Example:     "def g(float(N) A) -> (B, C) { B(i) = A(i)  C(i) = A(i) }\ndef f(float(N) A) -> (D) { D = g(A) }",
		Fix:         "def g(float(N) A) -> (B, C) { B(i) = A(i)  C(i) = A(i) }\ndef f(float(N) A) -> (D, E) { (D, E) = g(A) }",
	},
	{
		Code:        CodeRecursion,
		Title:       "A def calls itself",
		Explanation: "Calls are copied into the caller, so a def can call neither itself nor its callers.",
		Example:     "def f(float(N) A) -> (B) { B = f(A) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeCallForm,
		Title:       "A call is not of the form (C1, C2) = f(A, B)",
		Explanation: "The targets of a call are whole tensors, or have the indices by which the arguments are parts of tensors, as in C(b) = f(A(b)). The operator is =, and there is no where clause.",
		Example:     "def g(float(N) A) -> (B) { B(i) = A(i) }\ndef f(float(N) A) -> (C) { C(i) = g(A) }",
		Fix:         "def g(float(N) A) -> (B) { B(i) = A(i) }\ndef f(float(N) A) -> (C) { C = g(A) }",
	},
	{
		Code:        CodeImportFailed,
		Title:       "A file cannot be imported",
		Explanation: "The path of an import is relative to the file that contains it, or to a directory of --import-path. A program imports files below its own directory and below those directories; no symbolic link leads elsewhere. Files of all notations can be imported; the extension says in which one a file is written.",
		Example:     "import \"no-such-file.tc\"\ndef f(float(N) A) -> (B) { B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeDuplicateDef,
		Title:       "Two defs have the same name",
		Explanation: "The defs of a file and of everything that it imports share one space of names.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) }\ndef f(float(N) A) -> (B) { B(i) = 2 * A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }\ndef twice(float(N) A) -> (B) { B(i) = 2 * A(i) }",
	},
	{
		Code:        CodeConcat,
		Title:       "Tensors cannot be joined",
		Explanation: "concat joins tensors of one type along the last dimension, or along the dimension whose number is the last argument. All other dimensions must agree.",
		Example:     "def f(float(N,2) A, float(N,3) B) -> (C) { C = concat(A, B, 0) }",
		Fix:         "def f(float(N,2) A, float(N,3) B) -> (C) { C = concat(A, B) }",
	},
	{
		Code:        CodeCallShapes,
		Title:       "The shapes of the arguments do not fit the def",
		Explanation: "Dimensions to which the def gives the same name must be equal in a call, and its conditions on the sizes must hold.",
		Example:     "def g(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }\ndef f(float(3) A, float(4) B) -> (C) { C = g(A, B) }",
		Fix:         "def g(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }\ndef f(float(4) A, float(4) B) -> (C) { C = g(A, B) }",
	},
	{
		Code:        CodeCallsTooMany,
		Title:       "The calls of a def make too many statements",
		Explanation: "A call is replaced by the statements of the def that it calls, with the calls of that def replaced too. So a chain of defs that call the one before several times grows exponentially. A def may get 1000 statements by its calls.",
		Example:     "def scale(float(N) A) -> (B) { B(i) = 2 * A(i) }\ndef scale4(float(N) A) -> (B) { a = scale(A)  b = scale(a)  c = scale(b)  B = scale(c) }\ndef scale16(float(N) A) -> (B) { a = scale4(A)  b = scale4(a)  c = scale4(b)  B = scale4(c) }\ndef scale64(float(N) A) -> (B) { a = scale16(A)  b = scale16(a)  c = scale16(b)  B = scale16(c) }\ndef scale256(float(N) A) -> (B) { a = scale64(A)  b = scale64(a)  c = scale64(b)  B = scale64(c) }\ndef scale1024(float(N) A) -> (B) { a = scale256(A)  b = scale256(a)  c = scale256(b)  B = scale256(c) }",
		Fix:         "def scale(float(N) A) -> (B) { B(i) = 2 * A(i) }\ndef scale4(float(N) A) -> (B) { a = scale(A)  b = scale(a)  c = scale(b)  B = scale(c) }\ndef scale16(float(N) A) -> (B) { a = scale4(A)  b = scale4(a)  c = scale4(b)  B = scale4(c) }\ndef scale64(float(N) A) -> (B) { a = scale16(A)  b = scale16(a)  c = scale16(b)  B = scale16(c) }\ndef scale256(float(N) A) -> (B) { a = scale64(A)  b = scale64(a)  c = scale64(b)  B = scale64(c) }",
	},
	{
		Code:  CodeShifted,
		Title: "A tensor that does not begin at 0 is taken as an array (warning)",
		Explanation: "A tensor that a stencil such as A(i-1) + A(i+1) makes begins at 1, since A(i-1) does not exist for 0. A def that is called, and concat, take arrays, whose elements count " +
			"from 0: element 0 of the argument is the first that there is, and so are results indexed. Beside tensors that begin at 0 they are off by as much.",
		Example: "def g(float(N) A) -> (B) { B(i) = 2 * A(i) }\ndef f(float(N) A) -> (C) { s(i) = A(i-1) + A(i+1)  C = g(s) }",
		Fix:     "def g(float(N) A) -> (B) { B(i) = 2 * A(i) }\ndef f(float(N) A) -> (C) { s(i) = A(i) + A(i+2)  C = g(s) }",
	},
	{
		Code:  CodeImportCircle,
		Title: "A file imports itself by way of another notation",
		Explanation: "Files of one notation may import each other. A file of another notation is compiled before those that import it, so it can import none of these, nor a file that does; so is a file of TeML that another one imports. " +
			"What both sides need stands in a file of its own, which imports neither.",
		Fix: "Move what the other notation needs of this file into a file of its own, and import that on both sides.",
	},
	{
		Code:  CodeLoopsStay,
		Title: "The loops of a callee are not those of its caller (warning)",
		Explanation: "The statements of a def that is called become statements of the caller, and the caller is scheduled as a whole. Loops that a TeML program has made for the def with codegen are those of the def alone; " +
			"a caller in TeML can build loops for the statements again, and one in another notation can be given a script.",
		Fix: "Call a def without loops, which codegen NAME() makes beside the one with loops; or give the caller a script, --schedule.",
	},
}
