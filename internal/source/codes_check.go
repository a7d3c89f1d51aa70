package source

// The codes of test blocks.
const (
	CodeTestHeader    Code = "E0901"
	CodeTestLine      Code = "E0902"
	CodeTestValue     Code = "E0903"
	CodeTestDuplicate Code = "E0904"
	CodeTestConflict  Code = "E0905"
	CodeTestProperty  Code = "E0906"
	CodeTestDef       Code = "E0907"
	CodeTestPattern   Code = "E0908"
)

var checkCodes = []CodeInfo{
	{
		Code:        CodeTestHeader,
		Title:       "A test block has no name",
		Explanation: "A test block starts with a comment line '# test: NAME'. The name is shown in reports and chooses tests on the command line.",
		Example:     "def f(float A) -> (B) { B = A }\n# test:\n#   in  A = 3",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: copies a number\n#   in  A = 3",
	},
	{
		Code:  CodeTestLine,
		Title: "A line of a test block is malformed",
		Explanation: "Each line of a test block starts with one of the words def, size, in, out, tolerance, error, property and trials, and is " +
			"indented further than 'test:'. The block ends with the first line that is not.",
		Example: "def f(float A) -> (B) { B = A }\n# test: copies\n#   input A = 3",
		Fix:     "def f(float A) -> (B) { B = A }\n# test: copies\n#   in A = 3",
	},
	{
		Code:  CodeTestValue,
		Title: "A value of a test block is malformed",
		Explanation: "A value is a number, true, false, nan, inf, a list of values whose items have the same shape, or one of random, " +
			"random(SEED), iota, const(V) and \"path.npy\". Expected outputs are numbers, lists or paths.",
		Example: "def f(float(N) A) -> (B) { B(i) = A(i) }\n# test: ragged\n#   in A = [[1, 2], [3]]",
		Fix:     "def f(float(N) A) -> (B) { B(i) = A(i) }\n# test: one row\n#   in A = [1, 2, 3]",
	},
	{
		Code:        CodeTestDuplicate,
		Title:       "Something is given twice in the tests of a file",
		Explanation: "A test gives each size, input, output and option once, and no two tests of a file have the same name.",
		Example:     "def f(float A) -> (B) { B = A }\n# test: twice\n#   in A = 3\n#   in A = 4",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: once\n#   in A = 3",
	},
	{
		Code:        CodeTestConflict,
		Title:       "A test expects an error and a result",
		Explanation: "A call that fails has no outputs. A test has either an error line, or out and property lines.",
		Example:     "def f(float A) -> (B) { B = A }\n# test: both\n#   out B = 3\n#   error E0601",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: only a result\n#   in  A = 3\n#   out B = 3",
	},
	{
		Code:        CodeTestProperty,
		Title:       "A property is malformed",
		Explanation: "A property is an equality of two expressions made of calls of defs, inputs and arithmetic: f(A) == g(f(B)).",
		Example:     "def f(float A) -> (B) { B = A }\n# test: idempotent\n#   property f(f(A))",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: idempotent\n#   property f(f(A)) == f(A)",
	},
	{
		Code:        CodeTestDef,
		Title:       "A test block has no def to test",
		Explanation: "A block tests the nearest def above it, else the nearest below, unless it has a line 'def NAME' with a def of the file.",
		Example:     "def f(float A) -> (B) { B = A }\n# test: other\n#   def g",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: this\n#   def f",
	},
	{
		Code:        CodeTestPattern,
		Title:       "The expected error is malformed",
		Explanation: "An error line has a code of the error index (error E0303) or a quoted regular expression that the message must match.",
		Example:     "def f(float A) -> (B) { B = A }\n# test: fails\n#   error \"(\"",
		Fix:         "def f(float A) -> (B) { B = A }\n# test: fails\n#   error \"[(]\"",
	},
}
