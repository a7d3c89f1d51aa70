package source

// inStrand is a Diderot program with some globals, whose strand does something in its update.
func inStrand(globals, update string) string {
	return "#version 2.0\n" + globals + "strand s(int i) {\n  output real x = 0.0;\n  update {\n    " + update +
		"\n    stabilize;\n  }\n}\ncreate_array { s(i) | i in 0..9 }"
}

const anImage = "image(2)[] img = load_image(\"img.nrrd\");\n"

// The codes of names, types and rules of Diderot programs.
var diderotCheckCodes = []CodeInfo{
	{
		Code:        CodeDiderotName,
		Title:       "A name of a Diderot program is not known",
		Explanation: "A name is known behind its declaration, in the block in which that stands. Functions and reductions of the language and kernels are known everywhere, unless a variable hides them.",
		Example:     inStrand("", "x = abs(-1.0);"),
		Fix:         inStrand("", "x = |-1.0|;"),
	},
	{
		Code:        CodeDiderotTwice,
		Title:       "A name of a Diderot program is declared twice",
		Explanation: "One block declares a name once, and a strand has one method of each kind. A name of a surrounding block, a parameter or a function of the language can be declared again: then it means the inner one.",
		Example:     inStrand("", "real a = 1.0;\n    real a = 2.0;\n    x = a;"),
		Fix:         inStrand("", "real a = 1.0;\n    real b = 2.0;\n    x = a + b;"),
	},
	{
		Code:        CodeDiderotOperands,
		Title:       "An operator or function of Diderot does not take such operands",
		Explanation: "docs/diderot.md has the table of operators and functions. The first row whose types are those of the operands is meant, or else the first one to which they can be coerced: int to real, T[n] to T[]. Tensors and numbers are not mixed by + and -; fields of two operands are over one space.",
		Example:     inStrand("", "vec2 v = [1.0, 2.0] + 1.0;\n    x = v[0];"),
		Fix:         inStrand("", "vec2 v = [1.0, 2.0] + [1.0, 1.0];\n    x = v[0];"),
	},
	{
		Code:        CodeDiderotType,
		Title:       "A value of a Diderot program has another type than is expected",
		Explanation: "What a variable is set to, an argument, a condition or a subscript has the type that belongs there, or one that is coerced to it: int to real, sequences of fixed to those of any length, fields to less smooth ones. A real number never becomes an int.",
		Example:     inStrand("", "int k = 2^3;\n    x = real(k);"),
		Fix:         inStrand("", "real k = 2^3;\n    x = k;"),
	},
	{
		Code:        CodeDiderotShape,
		Title:       "A shape, a dimension or an index of a Diderot program is wrong",
		Explanation: "Each axis of a tensor has at least 2 components, which are numbered from 0; a number is a tensor without axes. An indexed tensor has an index, or a colon, for each axis. The space of images and fields has 1, 2 or 3 dimensions. An NRRD file that is there has the axes of the image that is declared: the slowest ones are those of the space, the others have the components of a voxel.",
		Example:     inStrand("", "vec2 v = [1.0, 2.0];\n    x = v[2];"),
		Fix:         inStrand("", "vec2 v = [1.0, 2.0];\n    x = v[1];"),
	},
	{
		Code:        CodeDiderotConstant,
		Title:       "What must be constant in a Diderot program is not",
		Explanation: "Consts, defaults of inputs, sizes, dimensions, indices of tensors, exponents of fields and paths of files are made of numbers, texts, consts, and operators and functions of the language. Subscripts of sequences need not be constant. Ints have 32 bits, with --long-int 64.",
		Example:     inStrand("", "vec2 v = [1.0, 2.0];\n    x = v[i];"),
		Fix:         inStrand("", "real[2] v = {1.0, 2.0};\n    x = v[i];"),
	},
	{
		Code:        CodeDiderotContinuity,
		Title:       "A field of a Diderot program is not smooth enough",
		Explanation: "field#k has k continuous derivatives: those of its kernel, less one for each ∇. Of two fields that are combined the less smooth one counts. A field in closed form has all derivatives and is declared without #.",
		Example:     inStrand(anImage+"field#3(2)[] F = bspln3 ⊛ img;\n", "x = F([1.0, 2.0]);"),
		Fix:         inStrand(anImage+"field#2(2)[] F = bspln3 ⊛ img;\n", "x = F([1.0, 2.0]);"),
	},
	{
		Code:        CodeDiderotValue,
		Title:       "A field, image, kernel or strand stands where a value belongs",
		Explanation: "Values are truth values, numbers, texts, tensors and sequences of them. Only they are states and parameters of strands, consts, elements of sequences, branches of conditionals, or printed; inputs are values or images.",
		Example:     inStrand(anImage+"field#2(2)[] F = bspln3 ⊛ img;\nfield#1(2)[] G = ctmr ⊛ img;\n", "x = (F if i > 1 else G)([1.0, 2.0]);"),
		Fix:         inStrand(anImage+"field#2(2)[] F = bspln3 ⊛ img;\nfield#1(2)[] G = ctmr ⊛ img;\n", "x = F([1.0, 2.0]) if i > 1 else G([1.0, 2.0]);"),
	},
	{
		Code:        CodeDiderotSequence,
		Title:       "A sequence of a Diderot program is wrong",
		Explanation: "The elements of a sequence have one type, where ints become reals beside reals. They are values, or sequences of fixed length; a sequence of any length is no element of another one. What foreach, comprehensions and reductions run over is a sequence: a range is a..b.",
		Example:     inStrand("", "foreach (int k in 3) {\n      x += real(k);\n    }"),
		Fix:         inStrand("", "foreach (int k in 0..2) {\n      x += real(k);\n    }"),
	},
	{
		Code:        CodeDiderotAssign,
		Title:       "A variable of a Diderot program cannot be assigned there",
		Explanation: "Statements of the strand assign its state and local variables. Globals are assigned in initialize, and in the global start and update. Consts, parameters, fields, images and kernels keep their values.",
		Example:     inStrand("int g = 0;\n", "g = i;\n    x = real(g);"),
		Fix:         inStrand("int g = 0;\n", "int h = g + i;\n    x = real(h);"),
	},
	{
		Code:        CodeDiderotUnset,
		Title:       "A variable of a Diderot program may have no value",
		Explanation: "What is declared without a value gets one on every path before it is read: globals in initialize, outputs in the strand's initialize. Fields, images, kernels and consts have their values from the beginning.",
		Example:     inStrand("", "real a;\n    if (i > 1) {\n      a = 1.0;\n    }\n    x = a;"),
		Fix:         inStrand("", "real a;\n    if (i > 1) {\n      a = 1.0;\n    } else {\n      a = 2.0;\n    }\n    x = a;"),
	},
	{
		Code:        CodeDiderotReturn,
		Title:       "A function of a Diderot program does not return as it should",
		Explanation: "Every path of a function ends with return. A function that gives a field, an image or a kernel has one return, at its end, since which one it is must be known when the program is compiled.",
		Example:     inStrand("function real f(real a) {\n  if (a > 1.0) {\n    return a;\n  }\n}\n", "x = f(real(i));"),
		Fix:         inStrand("function real f(real a) {\n  if (a > 1.0) {\n    return a;\n  }\n  return 1.0;\n}\n", "x = f(real(i));"),
	},
	{
		Code:        CodeDiderotPlace,
		Title:       "A statement or query stands where it cannot",
		Explanation: "new, stabilize, die and continue stand in start and update of the strand; stabilize and die also in the global start and update, where they are about all strands. return stands in functions. Strands look for others (sphere) in their methods; sets of strands are folded in the global start and update; numActive and the others are asked in both.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n  stabilize { stabilize; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { stabilize; }\n  stabilize { x += 1; }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotStrand,
		Title:       "The strand of a Diderot program, or its creation, is wrong",
		Explanation: "A strand has at least one output, which is no text, and an update. An array of strands keeps as many as it begins with: new and die need a collection.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update {\n    if (i > 3) {\n      die;\n    }\n    stabilize;\n  }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update {\n    if (i > 3) {\n      die;\n    }\n    stabilize;\n  }\n}\ncreate_collection { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotSet,
		Title:       "Strands are looked for, or folded, in a way that is not possible",
		Explanation: "Strands find others by their state variable pos, of type real, vec2 or vec3. A set of strands, S.active, S.stable or S.all, is only folded, sum{ t.x | t in S.all }, and not in a loop.",
		Example:     inStrand("", "x = real(length(sphere(1.0)));"),
		Fix:         "#version 2.0\nstrand s(int i) {\n  vec2 pos = [real(i), 0.0];\n  output real x = 0.0;\n  update {\n    x = real(length(sphere(1.0)));\n    stabilize;\n  }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotCall,
		Title:       "What is applied in a Diderot program does not take such arguments",
		Explanation: "A function, or a strand that is created, gets as many arguments as it has parameters. A field is probed at one position. Other values are not applied: x (y) is no product.",
		Example:     inStrand("function real f(real a) = 2.0 * a;\n", "x = f(1.0, 2.0);"),
		Fix:         inStrand("function real f(real a) = 2.0 * a;\n", "x = f(1.0);"),
	},
	{
		Code:        CodeDiderotClosed,
		Title:       "A field in closed form is made of what fields do not have",
		Explanation: "field(2)[] P(x) = e; is differentiated by rules, so what depends on x is made of operators that fields have: arithmetic, products, norms, sqrt, exp, sine and the like, components, probes, and functions of one expression of these. The position is a vector of as many components as the space has dimensions, over a line a real.",
		Example:     inStrand("field(2)[] P(p) = floor(p[0]);\n", "x = P([0.5, 1.0]);"),
		Fix:         inStrand("function real P(vec2 p) = floor(p[0]);\n", "x = P([0.5, 1.0]);"),
	},
	{
		Code:        CodeDiderotGiven,
		Title:       "The command line gives a wrong value to a const of a Diderot program",
		Explanation: "--const NAME=VALUE replaces the value of a const, as it would be written in the program: --const N=3, --const origin=[0.0,0.0].",
		Fix:         "Name a const of the program, and give it a value of its type.",
	},
	{
		Code:        CodeDiderotUnused,
		Title:       "A variable of a Diderot program is never read (warning)",
		Explanation: "It may be a mistyped name, or a leftover. Outputs and parameters of the strand are never reported.",
		Example:     inStrand("", "real a = 1.0;"),
		Fix:         inStrand("", "real a = 1.0;\n    x = a;"),
	},
	{
		Code:        CodeDiderotUnreachable,
		Title:       "A statement of a Diderot program is never reached (warning)",
		Explanation: "Nothing is run behind stabilize, die, continue and return.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update {\n    stabilize;\n    x = 1;\n  }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update {\n    x = 1;\n    stabilize;\n  }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotEndless,
		Title:       "The strands of a Diderot program never end (warning)",
		Explanation: "A program runs as long as strands are active. If they neither stabilize nor die, it ends at a limit of steps only, and since nothing is stable then, it has no output.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update { x += 1; }\n}\ncreate_array { s(i) | i in 0..9 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = i;\n  update {\n    x += 1;\n    if (x > 99) {\n      stabilize;\n    }\n  }\n}\ncreate_array { s(i) | i in 0..9 }",
	},
	{
		Code:        CodeDiderotFlag,
		Title:       "An input of a Diderot program has the name of a standard flag (warning)",
		Explanation: "Programs take their inputs as flags, as those of the original compiler do: -NAME VALUE. The flags h, l, v and t, and o where there is one output, are taken, so such an input could not be given there.",
		Example:     inStrand("input real h = 0.1;\n", "x = h;"),
		Fix:         inStrand("input real step = 0.1;\n", "x = step;"),
	},
}
