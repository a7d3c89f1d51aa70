package source

// The codes of the text forms of the intermediate representations.
const (
	EinSyntax  Code = "E0701"
	EinName    Code = "E0702"
	EinLiteral Code = "E0703"
)

// The codes of schedules.
const (
	ScheduleMisfit  Code = "E0710"
	ScheduleIllegal Code = "E0711"
	ScheduleSyntax  Code = "E0712"
	ScheduleChoice  Code = "E0713"
	TransformMisfit Code = "E0714"
	OptionIdle      Code = "E0715"

	LoopSyntax Code = "E0720"
	LoopName   Code = "E0721"
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
	{
		Code:  ScheduleMisfit,
		Title: "A schedule does not fit the function",
		Explanation: `A schedule tree has to enumerate every point of every statement exactly once: the domain is that of
the function, every statement has a member in each band above it, tiles become smaller on the way down, every index ends at
its points, a reduction has its accumulate node, and a sequence orders the statements that share a loop. A mark stands where its
loop can have it: 'vector 16' on a loop over points, with a power of two; 'group 4' (bytes) or 'group 2' (16 bits) on the loop over
the points of a sum of products of narrow numbers, whose results are vectors, with the operand along these placed in private or
register above; 'matrix' beside such a group, or beside 'group 1' of float32, whose operands need no place and whose results may stay in the output,
with nothing but loops over points between the accumulators and the leaf;
docs/schedules.md has a table of all marks and where they are legal. Of a TeML script, or of
Go, there are errors of this kind where a block is too large for its memory, and where loops that are legal have no code: docs/teml.md
lists them.`,
		Example: `domain S0[i, j]
band S0.i`,
		Fix: `domain S0[i, j]
band S0.i | S0.j`,
	},
	{
		Code:  ScheduleIllegal,
		Title: "A schedule breaks a dependence",
		Explanation: `Where one statement writes an element that another reads or writes, the schedule must keep the order
of the program for these two points. The message names both accesses, the node of the tree at which the order is lost, and
two points that show it. For affine subscripts and ranges exactly the illegal schedules are refused; where a subscript depends on
data, or sizes are multiplied, what is not proved to be legal is refused, without an example.
The iterations of a parallel loop must not depend on each other at all, nor the lanes of one vector.`,
		Example: `domain S0[i]; S1[j]      # S1 reads T(j + 1), which S0 writes
band S0.i S1.j
  sequence
    filter S0
    filter S1`,
		Fix: `domain S0[i]; S1[j]
sequence
  filter S0
    band S0.i
  filter S1
    band S1.j`,
	},
	{
		Code:  ScheduleSyntax,
		Title: "The text of a schedule is malformed",
		Explanation: `A schedule is a tree: a line for every node, each level indented by two blanks. The first line is the domain, which
names the statements and their indices; below stand band, sequence, filter, accumulate, place and leaf. It may also be given as a
table of MDH parameters (mdh S0 on host), as low-level expressions (lowlevel S0 on host), or as mapping options of Tensor
Comprehensions (.tile(32, 32).unroll(8)); the first word says which.`,
		Example: `domain S0[i, j]
bend S0.i | S0.j`,
		Fix: `domain S0[i, j]
band S0.i | S0.j`,
	},
	{
		Code:  TransformMisfit,
		Title: "A loop transformation does not fit the nest that it is applied to",
		Explanation: `A transformation matches a pattern: the levels that it names are loops of one perfect chain, counted from 1 at
the outside; fused loops have the same range and marks; a loop that is written out has a known number of iterations; every
statement of the program is in one nest. The message names the equation of the TeML paper whose pattern
failed. No transformation asks whether the program keeps its meaning: that is asked of what is generated (E0711).`,
		Example: `l = build(C)            # levels i, j, k
l = stripmine(l, 4, 32)`,
		Fix: `l = build(C)
l = stripmine(l, 3, 32)`,
	},
	{
		Code:  ScheduleChoice,
		Title: "The parameters of a schedule are not valid",
		Explanation: `The parameters from which a schedule is made depend on one another, on the sizes and on the machine: the
parts of a dimension cover it, orders are permutations, every level of the machine has one level of the computation, copies fit
their memory. The message names the parameter of the MDH paper's Table 1 and the level (layer, dimension). So it does where the
parameters are valid, but are none of the host's: docs/schedules.md has a table of what the host takes.`,
		Example: `level  #PRT  D1     D2       # i has 10 points
(1,1)  4     (1,1)  COR,0
(2,1)  2     (2,1)  MM,0`,
		Fix: `level  #PRT  D1     D2       # 5 parts of 2
(1,1)  5     (1,1)  COR,0
(2,1)  2     (2,1)  MM,0`,
	},
	{
		Code:  OptionIdle,
		Title: "An option of a schedule has no effect",
		Explanation: `Mapping options of Tensor Comprehensions were made for graphics processors. Those that have a meaning on a
processor are obeyed: 'ricci show --stage schedule' prints what they mean there. Those that have none are named, and nothing happens. This is a
warning.`,
		Example: `tc::MappingOptions::makeNaiveMappingOptions().tile(32, 32).useReadOnlyCache(true)`,
		Fix:     `tc::MappingOptions::makeNaiveMappingOptions().tile(32, 32)`,
	},
	{
		Code:  LoopSyntax,
		Title: "The text of a loop program is malformed",
		Explanation: `The loop representation has a text form that 'ricci show --stage loop' prints and that reads back.
It is edited by hand in tests only; something in it is not where it belongs.`,
		Fix: `Compare the place with what 'ricci show --stage loop' prints for a similar program.`,
	},
	{
		Code:  LoopName,
		Title: "A name in the text of a loop program is unknown or declared twice",
		Explanation: `Variables and buffers are declared once, above their first use; a second variable of the same
name carries a number, as in i.1.`,
		Fix: `Declare the name, or correct it.`,
	},
}
