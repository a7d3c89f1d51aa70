package source

// CodeRoundedTerm is one of what is computed to the letter and hardly meant, in several notations; see package advice.
const CodeRoundedTerm Code = "E0420"

var adviceCodes = []CodeInfo{
	{
		Code:  CodeRoundedTerm,
		Title: "Each term of a sum is rounded (warning)",
		Explanation: "A quotient of integers is rounded down before it is added, so that a sum of many loses up to 1 at each. In MDH and TeML a sum of x/2 is hardly meant: the sum is divided in a computation of its own, or the operands are converted to a float. " +
			"Parentheses around the quotient say that it is meant in MDH, and option meant in TeML.",
		Fix: "divide the sum, not its terms",
	},
}
