package source

// The codes of running strands: what a world is given, and what goes wrong in it.
const (
	StrandElement   Code = "E1401"
	StrandProbe     Code = "E1402"
	StrandInput     Code = "E1403"
	StrandValue     Code = "E1404"
	StrandImage     Code = "E1405"
	StrandProxy     Code = "E1406"
	StrandNoOutput  Code = "E1407"
	StrandFlagName  Code = "E1408"
	StrandTooMany   Code = "E1409"
	StrandEnded     Code = "E1410"
	StrandArguments Code = "E1411"
	StrandOrder     Code = "E1412"
	StrandMemory    Code = "E1413"
	StrandDevice    Code = "E1414"
)

var strandCodes = []CodeInfo{
	{
		Code:        StrandElement,
		Title:       "An element outside of a sequence is read",
		Explanation: "A strand, or a block of the world, has read s[i] where i is below 0 or not below the length of the sequence. The strand that is named is the first one, of the earliest super-step. Its number is its place in the order of creation, behind it its place in the grid of an array. The world takes no more steps.",
		Example:     "#version 2.0\nstrand s(int i) {\n  int[3] list = {1, 2, 3};\n  output int x = 0;\n  update { x = list[i]; stabilize; }\n}\ncreate_array { s(i) | i in 0..3 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  int[3] list = {1, 2, 3};\n  output int x = 0;\n  update { x = list[i]; stabilize; }\n}\ncreate_array { s(i) | i in 0..2 }",
	},
	{
		Code:        StrandProbe,
		Title:       "A field is probed outside of its domain",
		Explanation: "The value of a field at a position is made of the samples around it, as many as the kernel needs on each side. Some of them would not be in the image. The message has the position in world space, and in the index space of the image.",
		Example:     "F(pos)    // pos is beside the image",
		Fix:         "Ask before, if (inside(pos, F)) { … }, or say what is outside of the image: F = bspln3 ⊛ clamp(img), mirror(img), wrap(img) or border(img, 0.0).",
	},
	{
		Code:        StrandInput,
		Title:       "An input of a program is missing",
		Explanation: "Inputs without a default have to be given, as have images and sequences whose default cannot be read.",
		Example:     "input real scale;    // and no -i scale=…",
		Fix:         "Give it: ricci run FILE -i scale=2.5, or behind -- as -scale 2.5; or write a default, input real scale = 2.5;",
	},
	{
		Code:        StrandValue,
		Title:       "A value does not fit the input that it is given for",
		Explanation: "An input takes as many numbers as its type has: three for a vec3, row by row for a matrix. A sequence of any length takes a whole number of elements; in a file it has one axis, or two of which the faster one is that of the values of an element.",
		Example:     "input vec3 eye;    // with -i eye=1,2",
		Fix:         "Give three numbers: -i eye=1,2,0",
	},
	{
		Code:        StrandImage,
		Title:       "A file does not fit the image that it is given for",
		Explanation: "An image(d)[σ] has d spatial axes, the slowest ones of the file, in a world of d dimensions, with independent directions; the other axes together have as many samples as the shape σ has components.",
		Example:     "input image(3)[] vol;    // with a picture",
		Fix:         "Give a file with three spatial axes, or declare image(2)[].",
	},
	{
		Code:        StrandProxy,
		Title:       "An image is not like its default",
		Explanation: "The file that load_image names as the default of an input is its proxy: another file must have the same sizes and the same type of samples, so that programs that were written for one image are not run on another by mistake.",
		Example:     "input image(2)[] img = load_image(\"small.nrrd\");    // with -i img=large.nrrd",
		Fix:         "Declare the image without a default, input image(2)[] img;, or convert the file.",
	},
	{
		Code:        StrandNoOutput,
		Title:       "No strand has become stable, so there is no output",
		Explanation: "Outputs are those of stable strands; a program that ends with none of them, because all have died or the limit of super-steps was reached before, writes no file.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int x = 0;\n  update { x += 1; }\n}\ncreate_array { s(i) | i in 0..3 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int x = 0;\n  update { x += 1; if (x == 4) { stabilize; } }\n}\ncreate_array { s(i) | i in 0..3 }",
	},
	{
		Code:        StrandFlagName,
		Title:       "The name of an input is that of a flag",
		Explanation: "Behind -- inputs are flags with their names. -h, -l, -v, -t and -print are flags of every program, -n and, with --snapshot, -s too; -o and -sp with the names of outputs.",
		Example:     "input int h = 3;    // with ricci run FILE -- -h 4",
		Fix:         "Rename the input, or give it in Ricci's own form: ricci run FILE -i h=4",
	},
	{
		Code:        StrandTooMany,
		Title:       "Too many strands are created",
		Explanation: "The ranges of the creation have more than 2,147,483,647 combinations, which is more than strands have numbers for. Strands for which the memory does not suffice are E1413.",
		Example:     "create_array { s(i, j) | i in 0..99999, j in 0..99999 }",
		Fix:         "Make the ranges smaller, or let each strand compute several points.",
	},
	{
		Code:        StrandEnded,
		Title:       "A world has ended",
		Explanation: "After a fault, and after Close, a world takes no more steps and has no outputs: its strands are in the middle of a step.",
		Example:     "world.Step(ctx)    // after another Step has returned a fault",
		Fix:         "Make a new world with inputs that the program can take.",
	},
	{
		Code:        StrandArguments,
		Title:       "The command line of a program is wrong",
		Explanation: "Behind -- stands the command line that the original compiler's programs have: -NAME value … for inputs, -o FILE or -o-NAME FILE for outputs, -l N, -print FILE, -s N and -sp PREFIX with --snapshot. ricci run FILE -- --help lists it.",
		Example:     "ricci run mip.diderot -- -stpe 0.1",
		Fix:         "ricci run mip.diderot -- -step 0.1",
	},
	{
		Code:        StrandOrder,
		Title:       "An order of strands is wrong",
		Explanation: "The order in which a kernel runs strands is a text: blocks N, the strands that a thread takes at a time, or that are a group of items; packets N, the strands that run side by side in lanes of vectors; windows rows or windows taps. What it does not say is chosen for the machine. ricci show FILE --stage schedule prints the one that is used without it.",
		Example:     "packets 12    // in a file behind ricci run mip.diderot --schedule",
		Fix:         "packets 16",
	},
	{
		Code:        StrandMemory,
		Title:       "What strands make does not fit into the memory",
		Explanation: "Strands, the elements of their sequences, and what they print in a super-step take memory, and a program may make any number of them. Before it makes one that would not fit, it ends at the statement that wants it. The limit is three quarters of the memory that is free, or what --memory says. The strand evaluator takes some hundred bytes for a strand, and 32 for a number of a sequence; a kernel what the numbers have.",
		Example:     "#version 2.0\nstrand s(int i) {\n  output int[] x = {i};\n  update { x = x @ x; }\n}\ncreate_collection { s(i) | i in 0..3 }",
		Fix:         "#version 2.0\nstrand s(int i) {\n  output int[] x = {i};\n  update { x = x @ x; if (length(x) >= 1024) { stabilize; } }\n}\ncreate_collection { s(i) | i in 0..3 }",
	},
	{
		Code:        StrandDevice,
		Title:       "The strands of the program do not run on the device",
		Explanation: "A device with groups of items, such as a graphics card, runs each strand by an item, from its creation to its end. Strands that notice each other do not run there: that look for others (sphere, S.x of another strand), create some (new), ask how many there are (numActive), or have a global block that runs between their super-steps.",
		Example:     "ricci run s.diderot --device NAME    // a device with groups of items; s.diderot is\n\n#version 2.0\nstrand s(int i) {\n  output int n = 0;\n  update { n = numActive(); stabilize; }\n}\ncreate_array { s(i) | i in 0..3 }",
		Fix:         "ricci run s.diderot --device host",
	},
}
