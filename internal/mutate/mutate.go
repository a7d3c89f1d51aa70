// Package mutate plants faults in Ricci's own code and asks whether its tests notice.
package mutate

// How it works
//
// A Room is some files of a package whose faults must not pass, with the packages whose tests
// judge them. Load reads a room with its types and lists its candidates: every place where one of
// the operators (operators.go) can make another program, such as a comparison that is turned, a
// bound that is one off, a statement that is dropped. Draw takes some of them by a seed and
// writes mutated copies of the files in which all of these mutations stand side by side: a < b
// becomes (active.Is(17) && a <= b || !active.Is(17) && a < b). An environment variable says
// which one is on. So one compile, with go test -overlay, serves a thousand mutants, and no file
// of the project is ever changed.
//
// A Judge is the test binary of a package made from these copies. Measure runs each of its tests
// once with no mutation on, to learn its time and the mutations that it meets. Then each mutant
// runs the tests that meet it, those first that notice most in the least time, until one fails:
// the mutant is noticed. An endless loop ends at a limit of processor time, one that takes all
// memory at a limit of that; both are noticed. Each mutant has a kernel cache of its own, since a
// library that a broken compiler made is found by the next one under the same program's text.
//
// What survives need not be a fault: the fingerprint (package fingerprint) is a program that
// writes a line for every step of the compilation of a corpus: functions, schedules, verdicts,
// loops, C texts, values. Where it says the same with the mutation as without, the mutant does
// not change behaviour as far as the corpus goes; it is listed with those that do, and a person
// says why in survivors.txt.
//
// What only words an error is not mutated: calls of Errorf, Internalf, WithHelp and their like.

// A Room is a part of Ricci that faults are planted in.
type Room struct {
	Name    string
	Package string   // its folder
	Files   []string // patterns of names; none: all
	Except  string   // the name of a file that is left out
	Texts   bool     // whether C texts are mutated, too
	Judges  []string // folders of packages whose tests judge, in the order in which they are asked
}

// Rooms is the table of all rooms.
func Rooms() []Room {
	return []Room{
		{Name: "lower", Package: "internal/loop/lower",
			Judges: []string{"internal/loop/lower", "internal/loop", "internal/pipelinetest"}},
		{Name: "passes", Package: "internal/loop/passes", Except: "properties.go", // which tests alone ask for
			Judges: []string{"internal/loop/passes", "internal/loop/lower", "internal/pipelinetest"}},
		{Name: "rewrite", Package: "internal/rewrite",
			Judges: []string{"internal/rewrite", "internal/loop/lower", "internal/pipelinetest"}},
		{Name: "schedule", Package: "internal/schedule",
			Files:  []string{"check*.go", "dependence*.go", "place*.go", "determined.go", "instance_pairs.go", "box.go", "frame.go", "levels.go", "stack.go", "unimodular.go", "windowed_parts.go"},
			Judges: []string{"internal/schedule", "internal/schedule/transform", "internal/loop/lower", "internal/pipelinetest"}},
		{Name: "printer", Package: "internal/target/c", Texts: true, Except: "helper_comments.go",
			Judges: []string{"internal/target/c", "internal/loop/lower", "internal/pipelinetest"}},
		{Name: "evaluator", Package: "internal/ein", Files: []string{"eval*.go", "builtin_error.go"},
			Judges: []string{"internal/ein", "internal/rewrite", "internal/loop/lower", "internal/pipelinetest"}},
		{Name: "verify", Package: "internal/loop",
			Files: []string{"verify.go", "bounds.go", "refutation.go", "distances.go", "affine_form.go", "linear.go", "monotone.go", "multiply.go",
				"polynomial.go", "rational.go", "row.go", "sample.go", "shift.go", "simplex.go", "transpose.go"},
			Judges: []string{"internal/loop", "internal/loop/lower", "internal/pipelinetest"}},
	}
}
