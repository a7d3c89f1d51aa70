package source

// The codes of the text forms of the intermediate representations.
const (
	EinSyntax  Code = "E0701"
	EinName    Code = "E0702"
	EinLiteral Code = "E0703"
)

var targetCodes = []CodeInfo{
	{
		Code:  EinSyntax,
		Title: "The text of an ein function is malformed",
		Explanation: `The core representation has a text form that 'ricci show --stage ein' prints and that reads back.
It is edited by hand in tests only; something in it is not where it belongs.`,
		Fix: `Compare the place with what 'ricci show --stage ein' prints for a similar program.`,
	},
	{
		Code:  EinName,
		Title: "A name in the text of an ein function is unknown or declared twice",
		Explanation: `Sizes, tensors, operators and indices are declared once, above their first use. Sizes stand in
braces inside values: {N}.`,
		Fix: `Declare the name, or correct it.`,
	},
	{
		Code:        EinLiteral,
		Title:       "A literal in the text of an ein function is malformed",
		Explanation: `Every literal carries its type as a suffix and has to be a value of that type: 3i64, 255u8, 1e-05f32, -inf_f64, nan_f32.`,
		Fix:         `Add the suffix, or choose a value that the type holds.`,
	},
}
