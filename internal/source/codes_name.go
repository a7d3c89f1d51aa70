package source

// The codes of names and types.
const (
	CodeUnknownName   Code = "E0201"
	CodeDuplicateName Code = "E0202"
	CodeRedefined     Code = "E0203"
	CodeRank          Code = "E0204"
	CodeWritesInput   Code = "E0205"
	CodeReadFirst     Code = "E0206"
	CodeIndexName     Code = "E0207"
	CodeNarrowing     Code = "E0208"
	CodeNoMeeting     Code = "E0209"
	CodeArguments     Code = "E0210"
	CodeLiteral       Code = "E0211"
	CodeSubscriptType Code = "E0212"
	CodeSizeOfType    Code = "E0213"
	CodeNoType        Code = "E0214"
	CodeLetCycle      Code = "E0215"
	CodeTypedTarget   Code = "E0216"
	CodeUnused        Code = "E0217"
	CodeShadow        Code = "E0218"
	CodeNeverWritten  Code = "E0219"

	CodeZeroDivision    Code = "E0220"
	CodeSmallSum        Code = "E0221"
	CodeRoundedQuotient Code = "E0222"
	CodeBitType         Code = "E0225"
	CodeBitGrouping     Code = "E0226"
	CodeBitPower        Code = "E0227"
	CodeShiftedOut      Code = "E0228"
	CodeChain           Code = "E0229"
	CodeSmallArithmetic Code = "E0230"
	CodeMovesNothing    Code = "E0231"
	CodeDecided         Code = "E0241"
	CodeExtremeLiteral  Code = "E0242"
)

var nameCodes = []CodeInfo{
	{
		Code:  CodeUnknownName,
		Title: "A name is not known",
		Explanation: "A name with parentheses is an access of a tensor or a call of a function; a name without is a scalar, a size, a let, or an index that stands in a subscript or has a range. Tensors are inputs, outputs and temporaries that the body assigns. " +
			"Functions are min, max, abs, popcount, clz, pad, clamp, mirror and wrap, and the builtins, which docs/builtins.md explains: " +
			"acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc " +
			"erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod hypot j0 j1 lgamma log " +
			"log10 log1p log2 logb nextafter norm3d norm4d normcdf normcdfinv pow rcbrt remainder rhypot rint rnorm3d rnorm4d " +
			"round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1.",
		Example: "def f(float(N) A) -> (B) { B(i) = sqrrt(A(i)) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = sqrt(A(i)) }",
	},
	{
		Code:        CodeDuplicateName,
		Title:       "A name is declared twice",
		Explanation: "Inputs, outputs and the lets of one statement need names of their own. An array that is updated in place is declared once, as an output.",
		Example:     "def f(float(N) A, float(N) A) -> (B) { B(i) = A(i) }",
		Fix:         "def f(float(N) A1, float(N) A2) -> (B) { B(i) = A1(i) + A2(i) }",
	},
	{
		Code:        CodeRedefined,
		Title:       "A def has the name of a function of the language (warning)",
		Explanation: "A tensor or a def may have the name of a builtin function, of pad, clamp, mirror, wrap or concat. A tensor hides the function in its def, and a statement t = exp(A) calls the def. Inside of an expression no def is called, so that the function of the language is meant there.",
		Example:     "def exp(float(N) A) -> (B) { B(i) = 1 + A(i) }\ndef f(float(N) A) -> (B) { B(i) = exp(A(i)) }",
		Fix:         "def increment(float(N) A) -> (B) { B(i) = 1 + A(i) }\ndef f(float(N) A) -> (B) { B(i) = exp(A(i)) }",
	},
	{
		Code:        CodeRank,
		Title:       "The number of subscripts is not the number of dimensions",
		Explanation: "A tensor is read and written with one subscript for each of its dimensions; a scalar has none.",
		Example:     "def f(float(N,M) A) -> (B) { B(i) = A(i) }",
		Fix:         "def f(float(N,M) A) -> (B) { B(i) +=! A(i,j) }",
	},
	{
		Code:        CodeWritesInput,
		Title:       "An input is assigned",
		Explanation: "Inputs are only read. An array that is updated in place is an output whose old value is read.",
		Example:     "def f(float(N) A) -> (B) { A(i) = 0.0  B(i) = A(i) }",
		Fix:         "def f(float(N) C) -> (A) { A(i) = A(i) + C(i) }",
	},
	{
		Code:        CodeReadFirst,
		Title:       "A temporary is read before it has a value",
		Explanation: "Statements are executed in order. Only an output may be read before it is written: then the caller gives its value.",
		Example:     "def f(float(N) A) -> (B) { B(i) = t(i)  t(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { t(i) = A(i)  B(i) = t(i) }",
	},
	{
		Code:        CodeIndexName,
		Title:       "A name that means something else is used as an index",
		Explanation: "An index must not have the name of a size, a tensor or a let of the statement. Names are case sensitive: w is another name than W.",
		Example:     "def f(float(N) A) -> (B) { B(N) = A(N) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeNarrowing,
		Title:       "A value would lose information when it is stored",
		Explanation: "A value may be stored in a wider type of its kind, and an integer in a float. Everything else needs a cast, so that the loss is visible.",
		Example:     "def f(double(N) A) -> (float(N) B) { B(i) = A(i) }",
		Fix:         "def f(double(N) A) -> (float(N) B) { B(i) = float(A(i)) }",
	},
	{
		Code:        CodeNoMeeting,
		Title:       "Two types have no common type",
		Explanation: "A signed integer and a uint64 have no integer type that holds the values of both.",
		Example:     "def f(int64(N) A, uint64(N) B) -> (C) { C(i) = A(i) + B(i) }",
		Fix:         "def f(int64(N) A, uint64(N) B) -> (C) { C(i) = A(i) + int64(B(i)) }",
	},
	{
		Code:        CodeArguments,
		Title:       "A function has the wrong number of arguments",
		Explanation: "Each builtin function has a fixed number of arguments; min and max have two.",
		Example:     "def f(float(N) A) -> (B) { B(i) = pow(A(i)) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = pow(A(i), 2) }",
	},
	{
		Code:        CodeLiteral,
		Title:       "A literal does not fit its type",
		Explanation: "A literal takes the type of what it meets and must be one of its values.",
		Example:     "def f(uint8(N) A) -> (uint8(N) B) { B(i) = 300 where exists A(i) }",
		Fix:         "def f(uint8(N) A) -> (int(N) B) { B(i) = 300 where exists A(i) }",
	},
	{
		Code:        CodeSubscriptType,
		Title:       "A subscript is not an integer",
		Explanation: "Elements are counted by integers. A cast to an integer type truncates toward zero.",
		Example:     "def f(float(N) A, float(M) P) -> (B) { B(i) = A(P(i)) }",
		Fix:         "def f(float(N) A, float(M) P) -> (B) { B(i) = A(int32(P(i))) }",
	},
	{
		Code:        CodeSizeOfType,
		Title:       "A dimension of a type is not a size",
		Explanation: "Dimensions are names of sizes or numbers from 1. The type of a temporary may only use sizes that inputs and outputs introduce.",
		Example:     "def f(float(N) A) -> (B) { float(K) t(i) = A(i)  B(i) = t(i) }",
		Fix:         "def f(float(N) A) -> (B) { float(N) t(i) = A(i)  B(i) = t(i) }",
	},
	{
		Code:        CodeNoType,
		Title:       "The type of a tensor cannot be inferred",
		Explanation: "The type of an output or temporary is the common type of everything that is stored in it. When that depends only on the tensor itself there is none.",
		Example:     "def f(float(N) A) -> (B) { B(i) = B(i) where exists A(i) }",
		Fix:         "def f(float(N) A) -> (float(N) B) { B(i) = B(i) + A(i) }",
	},
	{
		Code:        CodeLetCycle,
		Title:       "A let is defined by itself",
		Explanation: "A let is replaced by its value wherever it is used, so the value cannot contain it.",
		Example:     "def f(float(N) A) -> (B) { B(i) = x where x = x + A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = x where x = 1 + A(i) }",
	},
	{
		Code:        CodeTypedTarget,
		Title:       "A type is given where there is one already",
		Explanation: "The type of a temporary stands before the statement that writes it first; the types of outputs stand in the head of the def.",
		Example:     "def f(float(N) A) -> (B) { float t(i) = A(i)  float t(i) = 2 * t(i)  B(i) = t(i) }",
		Fix:         "def f(float(N) A) -> (B) { float t(i) = A(i)  t(i) = 2 * t(i)  B(i) = t(i) }",
	},
	{
		Code:        CodeUnused,
		Title:       "Something is declared and not used (warning)",
		Explanation: "An input, temporary, let or index that nothing uses is often a misspelt name.",
		Example:     "def f(float(N) A, float(N) B) -> (C) { C(i) = A(i) + A(i) }",
		Fix:         "def f(float(N) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }",
	},
	{
		Code:        CodeShadow,
		Title:       "A name hides another (warning)",
		Explanation: "A let hides a tensor or a size of the same name in its statement, and a temporary hides a size.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) * N where N = 2 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) * n where n = 2 }",
	},
	{
		Code:        CodeNeverWritten,
		Title:       "An output is never written",
		Explanation: "Every output must be assigned somewhere in the body.",
		Example:     "def f(float(N) A) -> (B, C) { B(i) = A(i) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) }",
	},
	{
		Code:        CodeZeroDivision,
		Title:       "A division by zero (warning)",
		Explanation: "A quotient or remainder of integers by zero is defined to be 0, so that no call fails; that of a float is infinite or not a number. By the literal 0 it is neither for any useful purpose.",
		Example:     "def f(int(N) A) -> (B) { B(i) = A(i) % 0 }",
		Fix:         "def f(int(N) A) -> (B) { B(i) = A(i) % 2 }",
	},
	{
		Code:        CodeSmallSum,
		Title:       "A sum wraps in a small integer type (warning)",
		Explanation: "A result has the type of what it combines, and integers wrap: a sum of uint8 is a uint8 and starts again at 0 beyond 255. A product of indices, as a factorial, leaves even int64 at 21!. A cast of the elements makes the result wider; a declared type says that wrapping is meant.",
		Example:     "def f(uint8(N,M) A) -> (S) { S(i) +=! A(i,j) }",
		Fix:         "def f(uint8(N,M) A) -> (S) { S(i) +=! int32(A(i,j)) }",
	},
	{
		Code:  CodeRoundedQuotient,
		Title: "A quotient of integers becomes a float (warning)",
		Explanation: "A quotient of integers is rounded down to an integer, whatever it is stored in or multiplied by afterwards: 1/2 is 0. A cast of one operand makes it a quotient of floats. " +
			"So it is where a let or a tensor that has its type from the quotient is used as a float later. A cast around the quotient, or a declared type of the tensor, says that the integer is meant. " +
			"A sum or a condition over a size or another sum is a share or a mean: as a result without a declared type it is told of, too.",
		Example: "def f(int(N) A, int n) -> (float(N) B) { B(i) = A(i) / n }",
		Fix:     "def f(int(N) A, int n) -> (float(N) B) { B(i) = float(A(i)) / n }",
	},
	{
		Code:        CodeBitType,
		Title:       "An operator on bits is applied to what is no integer",
		Explanation: "& | ^ ~ << >>, popcount and clz work on the bits of integers. Conditions are joined by && and ||, compared by !=, and negated by !; a power is pow(x, y).",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) & 15 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = int32(A(i)) & 15 }",
	},
	{
		Code:        CodeBitGrouping,
		Title:       "Operators are grouped otherwise than they are often read (warning)",
		Explanation: "& << >> bind as tightly as *, and | ^ as +, as in Go: x >> 4*n is (x >> 4)*n, and x | y + 1 is (x | y) + 1. In C and Python, they are looser than arithmetic. !x == y compares the truth of !x with y, as in C. Parentheses say what is meant, and silence the warning.",
		Example:     "def f(uint8(N) A, int n) -> (B) { B(i) = A(i) >> 4*n }",
		Fix:         "def f(uint8(N) A, int n) -> (B) { B(i) = A(i) >> (4*n) }",
	},
	{
		Code:        CodeBitPower,
		Title:       "^ is no power (warning)",
		Explanation: "x ^ 2 changes bit 1 of x. A square is x*x, a power pow(x, y), and a power of two 1 << n. A mask in hexadecimal, x ^ 0x2, says that the bits are meant.",
		Example:     "def f(int(N) A) -> (B) { B(i) = A(i)^2 }",
		Fix:         "def f(int(N) A) -> (B) { B(i) = A(i)*A(i) }",
	},
	{
		Code:        CodeShiftedOut,
		Title:       "A shift leaves no bit (warning)",
		Explanation: "A shift has the type of what is shifted. By as many places as that has bits, or more, or by a negative number, all of them are lost: 0 is left, or the sign of a number that was shifted to the right. A cast makes room.",
		Example:     "def f(uint8(N) A) -> (B) { B(i) = A(i) << 8 }",
		Fix:         "def f(uint8(N) A) -> (B) { B(i) = uint32(A(i)) << 8 }",
	},
	{
		Code:  CodeSmallArithmetic,
		Title: "Arithmetic of integers wraps before it is used as a number (warning)",
		Explanation: "Sums, differences, products and shifts of integers have the type of their operands, and wrap: (200 + 100)/2 of uint8 is 22. That may be meant where the result is stored as it is, in a type that was declared. " +
			"Where it is divided, shifted down, compared, passed to a function, becomes a wider number, or alone decides the type of its target, the wrapped number is hardly meant. " +
			"The same holds of differences of unsigned numbers of all sizes, which cannot be negative, and of products of 32 bits that become 64 bits or a float.",
		Example: "def mean(uint8(N) A, uint8(N) B) -> (C) { C(i) = uint8((A(i) + B(i))/2) }",
		Fix:     "def mean(uint8(N) A, uint8(N) B) -> (C) { C(i) = uint8((int32(A(i)) + B(i))/2) }",
	},
	{
		Code:  CodeMovesNothing,
		Title: "A boundary function is around nothing that is read",
		Explanation: "pad, clamp, mirror and wrap say what accesses inside of them mean where a subscript is out of bounds. Around an index, a number or a scalar they would be that itself: " +
			"clamp does not limit values, and in a subscript it has nothing to move.",
		Example: "def next(float(N) x) -> (y) { y(i) = x(clamp(i+1)) where i in 0:N }",
		Fix:     "def next(float(N) x) -> (y) { y(i) = clamp(x(i+1)) where i in 0:N }",
	},
	{
		Code:        CodeChain,
		Title:       "Comparisons do not chain",
		Explanation: "0 < x < 5 would compare the truth of 0 < x, which is 0 or 1, with 5. Two comparisons are joined by &&; parentheses say that a truth is compared.",
		Example:     "def f(float(N) A) -> (B) { B(i) = 0 < A(i) < 5 ? A(i) : 0 }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = 0 < A(i) && A(i) < 5 ? A(i) : 0 }",
	},
	{
		Code:  CodeDecided,
		Title: "A comparison has the same outcome everywhere (warning)",
		Explanation: "The ranges of the indices, or the types of what is compared, decide it: i == N is never true where i runs over 0:N, whose last value is N-1; unsigned numbers are not below 0; " +
			"and no integer equals 0.5.",
		Example: "def f(float(N) A) -> (B) { B(i) = i == N ? 0 : A(i) }",
		Fix:     "def f(float(N) A) -> (B) { B(i) = i == N-1 ? 0 : A(i) }",
	},
	{
		Code:        CodeExtremeLiteral,
		Title:       "A literal is infinite or 0 in its type (warning)",
		Explanation: "A float literal takes the type of what it meets. float32 holds numbers up to 3.4e38, and what is nearer to 0 than 1.4e-45 is 0.",
		Example:     "def f(float(N) A) -> (B) { B(i) = A(i) / (fabs(A(i)) + 1e-50) }",
		Fix:         "def f(float(N) A) -> (B) { B(i) = A(i) / (fabs(A(i)) + 1e-30) }",
	},
}
