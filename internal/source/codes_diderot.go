package source

// The codes of Diderot programs.
const (
	CodeDiderotSyntax      Code = "E1301"
	CodeDiderotVersion     Code = "E1302"
	CodeDiderotNoVersion   Code = "E1303"
	CodeDiderotOther       Code = "E1304"
	CodeDiderotOrder       Code = "E1305"
	CodeDiderotNumber      Code = "E1306"
	CodeDiderotString      Code = "E1307"
	CodeDiderotComment     Code = "E1308"
	CodeDiderotTooDeep     Code = "E1309"
	CodeDiderotName        Code = "E1310"
	CodeDiderotTwice       Code = "E1311"
	CodeDiderotOperands    Code = "E1312"
	CodeDiderotType        Code = "E1313"
	CodeDiderotShape       Code = "E1314"
	CodeDiderotConstant    Code = "E1315"
	CodeDiderotContinuity  Code = "E1316"
	CodeDiderotValue       Code = "E1317"
	CodeDiderotSequence    Code = "E1318"
	CodeDiderotAssign      Code = "E1319"
	CodeDiderotUnset       Code = "E1320"
	CodeDiderotReturn      Code = "E1321"
	CodeDiderotPlace       Code = "E1322"
	CodeDiderotStrand      Code = "E1323"
	CodeDiderotSet         Code = "E1324"
	CodeDiderotCall        Code = "E1325"
	CodeDiderotClosed      Code = "E1326"
	CodeDiderotGiven       Code = "E1328"
	CodeDiderotUnused      Code = "E1329"
	CodeDiderotUnreachable Code = "E1330"
	CodeDiderotEndless     Code = "E1331"
	CodeDiderotFlag        Code = "E1332"
)

var diderotCodes = []CodeInfo{
	{
		Code:        CodeDiderotSyntax,
		Title:       "A Diderot program is not written as the grammar says",
		Explanation: "docs/diderot.md has the grammars of both versions. Derivatives bind tighter than calls: ∇F(x) is (∇F)(x). What stands behind ^ has no sign of its own. A statement ends with a semicolon; a call is a value and no statement.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output real x = 2.0^-1.0;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output real x = 2.0^(-1.0);\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotVersion,
		Title:       "The version line of a Diderot program is wrong",
		Explanation: "The first line of a program is #version 1.0 or #version 2.0; #version 2 is the same as #version 2.0. Nothing stands before it, and only a comment behind it. The versions have grammars of their own.",
		Example:     "#version 3.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotNoVersion,
		Title:       "A Diderot program has no version line (warning)",
		Explanation: "It is read as version 1.0, the older grammar, whose programs need no version line.",
		Example:     "strand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ninitially [ s(i) | i in 0..9 ];",
		Fix:         "#version 1.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ninitially [ s(i) | i in 0..9 ];",
	},
	{
		Code:        CodeDiderotOther,
		Title:       "A construct of the other version of Diderot",
		Explanation: "Versions 1.0 and 2.0 write some things differently: sequences are real{3} and s{i} in 1.0, real[3] and s[i] in 2.0; strands are created by initially in 1.0, by create_array and create_collection in 2.0. The version line says which is meant.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output real{2} x = {1.0, 2.0};\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output real[2] x = {1.0, 2.0};\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotOrder,
		Title:       "The parts of a Diderot program stand in another order, or one is missing",
		Explanation: "A program has its globals, then initialize, one strand, start, update, and the creation of strands; in version 1.0 globals, one strand, global, and initially. A strand has its variables, then initialize, then its methods.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = n;\n  update { stabilize; }\n}\nint n = 3;\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nint n = 3;\nstrand s(int i) {\n  output int x = n;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotNumber,
		Title:       "A number is not written as Diderot writes it",
		Explanation: "Whole numbers are decimal. A real number has digits on both sides of its point, and may have an exponent behind them: 1.0, 0.5, 1.0e-6.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output real x = 1e10;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output real x = 1.0e10;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotString,
		Title:       "A string is not written as Diderot writes it",
		Explanation: "A string stands in double quotes on one line. It has the printable characters of ASCII and the escapes \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" and \\ with three decimal digits.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { print(\"caf\u00e9\\n\"); stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { print(\"cafe\\n\"); stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotComment,
		Title:       "A comment of a Diderot program is not closed",
		Explanation: "A comment that begins with /* reaches to the next */. Such comments are not nested; // is a comment up to the end of the line.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }\n/* the end",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }\n/* the end */",
	},
	{
		Code:        CodeDiderotTooDeep,
		Title:       "A Diderot program is nested too deeply",
		Explanation: "Expressions and statements are nested at most 200 deep, and at most 10,000 operators stand around a value.",
		Fix:         "Give parts of the expression names, in variables or functions.",
	},
}
