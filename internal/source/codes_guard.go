package source

// The codes of the guard.
const (
	CodeGuardRefused       Code = "E1151"
	CodeGuardInexpressible Code = "E1152"
)

var guardCodes = []CodeInfo{
	{
		Code:        CodeGuardRefused,
		Title:       "The guard refuses a program",
		Explanation: "The program was lowered to TeIL, and the result breaks a typing rule, or an index does not run over the dimension that it stands for. The front end accepted the program, so one of the two is wrong: please report it. docs/guard.md says what the guard checks.",
		Fix:         "Compare the sizes in the message with the declarations; until the disagreement is explained, run the program with --check.",
	},
	{
		Code:        CodeGuardInexpressible,
		Title:       "The guard cannot judge a program",
		Explanation: "TeIL has only collective operations, so that its typing rules can be proved to keep a program in bounds. The program does something for which there is no such operation. It may well be safe: the front end has proved what it can, and the rest is tested while running.",
		Fix:         "Nothing has to be done. Where the guard's verdict is needed, write the def with the operations that docs/guard.md lists.",
	},
}
