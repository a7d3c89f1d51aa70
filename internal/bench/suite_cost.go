package bench

import (
	"fmt"
	"strings"
)

// What Ricci itself costs: how long it takes to say something, to compile a first kernel,
// and to compile many statements. The times hang on the C compiler and the disk, too, so they are goals and no tests.

// costRows are measured once per process.
func costRows() []Row {
	var rows []Row
	add := func(name string, first First, text string, sizes map[string]int64, seconds float64, note string) {
		rows = append(rows, Row{Name: "cost/" + name, Group: "cost", File: "cost.tc", Text: text, Def: "f", Sizes: sizes, First: first}.
			with(Goal{Seconds: seconds}, first == Version || first == Help, note))
	}
	const program = "a process of the command from its start to its end"
	const scale = "def f(float(N) A) -> (B) { B(i) = 2 * A(i) }\n"
	add("version", Version, scale, map[string]int64{"N": 1}, 0.01, program)
	add("help", Help, scale, map[string]int64{"N": 1}, 0.01, program)
	add("first kernel", Cold, scale, map[string]int64{"N": 1000}, 0.25, "from the parsed program to the first result; nothing is in the cache")
	for _, kind := range statementKinds {
		add("200 statements/"+kind.name, Cold, kind.program(200), map[string]int64{"N": 256}, 2, "from the parsed program to the first result, most of it in the C compiler")
	}
	return rows
}

// A statementKind is a program of many statements, each of which uses the result of the one before.
type statementKind struct {
	name string
	// one writes a statement, or more, that makes the result of the given name of an earlier one.
	one func(result, before string, n int) string
}

var statementKinds = []statementKind{
	{"chain", func(result, before string, n int) string {
		return fmt.Sprintf("%s(i,j) = %s(i,j) * A(i,j) + %d.5", result, before, n)
	}},
	{"in place", func(_, _ string, n int) string { return fmt.Sprintf("B(i,j) += %d * A(i,j)", n) }},
	{"maxima of rows", func(result, before string, n int) string {
		return fmt.Sprintf("m%d(i) max=! %s(i,j)\n  %s(i,j) = exp(%s(i,j) - m%d(i))", n, before, result, before, n)
	}},
	{"products", func(result, before string, _ int) string {
		return fmt.Sprintf("%s(i,j) +=! %s(i,k) * A(k,j)", result, before)
	}},
}

// program writes a def of count statements.
func (k statementKind) program(count int) string {
	var b strings.Builder
	b.WriteString("def f(float(N,N) A) -> (B) {\n")
	if k.name == "in place" {
		b.WriteString("  B(i,j) = A(i,j)\n")
	}
	before := "A"
	for n := range count {
		result := fmt.Sprintf("t%d", n)
		if n == count-1 {
			result = "B"
		}
		fmt.Fprintf(&b, "  %s\n", k.one(result, before, n))
		before = result
	}
	b.WriteString("}\n")
	return b.String()
}
