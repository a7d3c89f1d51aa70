// Package coqtest asks the checker and the evaluator that are extracted from the Coq
// proofs what they say about TeIL programs.
package coqtest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
)

// How it works
//
// proofs/oracle/make compiles the proofs, lets Coq write type, check and evaluate as
// OCaml, and compiles them with a driver that reads programs as s-expressions
// (proofs/oracle/oracle.ml has the grammar). Judge writes many programs to one process
// and reads one verdict for each. What stands between the theorems and a verdict is
// thus Coq's extraction, the OCaml compiler, the driver, and Write below.

// An Oracle is the compiled program.
type Oracle struct{ path string }

// A Verdict is what the oracle says about a program.
type Verdict struct {
	OK     bool
	Types  [][]int            // of the expression of each statement; nil where it has none
	Values map[string][]int64 // of all allocations after the program; nil unless OK
}

// Build compiles the oracle where it is not up to date. Without Coq and OCaml it skips
// the test, unless RICCI_COQ=required says that they must be there.
func Build(t testing.TB) *Oracle {
	t.Helper()
	for _, tool := range []string{"coqc", "ocamlopt", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("RICCI_COQ") == "required" {
				t.Fatal(err)
			}
			t.Skipf("%v (Debian: apt-get install --no-install-recommends coq)", err)
		}
	}
	proofs := Proofs(t)
	if out, err := exec.Command(filepath.Join(proofs, "oracle", "make")).CombinedOutput(); err != nil {
		t.Fatalf("proofs/oracle/make: %v\n%s", err, out)
	}
	return &Oracle{filepath.Join(proofs, "oracle", "build", "oracle")}
}

// Proofs returns the directory of the proofs, in the module of the test that runs.
func Proofs(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "proofs")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// Judge asks for verdicts on programs over int64, each with its initial memory.
func (o *Oracle) Judge(programs []*syntax.Program, memories []teiltest.Memory[int64]) ([]Verdict, error) {
	var input, stderr bytes.Buffer
	for n, p := range programs {
		if err := Write(&input, p, memories[n]); err != nil {
			return nil, err
		}
	}
	command := exec.Command(o.path)
	command.Stdin, command.Stderr = &input, &stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("the oracle: %w\n%s", err, stderr.String())
	}
	verdicts := make([]Verdict, 0, len(programs))
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<24)
	for _, p := range programs {
		v, err := readVerdict(lines, p)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, lines.Err()
}

// Write prints a program with literal sizes for the oracle.
func Write(w *bytes.Buffer, p *syntax.Program, m teiltest.Memory[int64]) error {
	names := map[string]int{}
	number := func(name string) int { // names that are not allocated have numbers, too
		n, ok := names[name]
		if !ok {
			n = len(names)
			names[name] = n
		}
		return n
	}
	w.WriteString("(program")
	for _, a := range p.Allocs {
		fmt.Fprintf(w, " (alloc %d", number(a.Name.Name))
		for _, d := range a.Dims {
			n, ok := d.Value.IsConst()
			if !ok {
				return fmt.Errorf("the size %s is no literal", d.Value)
			}
			fmt.Fprintf(w, " %d", n)
		}
		fmt.Fprintf(w, ") (fill %d", number(a.Name.Name))
		for _, x := range m[a.Name.Name].Values {
			fmt.Fprintf(w, " %d", x)
		}
		w.WriteString(")")
	}
	folds, err := writeFolds(w, p)
	if err != nil {
		return err
	}
	for _, s := range p.Statements {
		fmt.Fprintf(w, "\n (assign %d ", number(s.Targets[0].Name))
		if err := writeExpr(w, s.Value, number, folds); err != nil {
			return err
		}
		w.WriteString(")")
	}
	w.WriteString(")\n")
	return nil
}

// writeFolds prints the folds of a program, and returns their numbers.
func writeFolds(w *bytes.Buffer, p *syntax.Program) (map[*syntax.Fold]int, error) {
	numbers := map[*syntax.Fold]int{}
	for k, f := range p.Folds {
		parameters := map[string]int{}
		for n, s := range f.Left {
			parameters[s.Name.Name], parameters[f.Right[n].Name] = n, len(f.Left)+n
		}
		fmt.Fprintf(w, "\n (fold %d", len(f.Left))
		for _, list := range [][]syntax.Expr{f.Bodies, f.From} {
			w.WriteString(" (all")
			for _, e := range list {
				w.WriteString(" ")
				if err := writeExpr(w, e, func(name string) int { return parameters[name] }, nil); err != nil {
					return nil, err
				}
			}
			w.WriteString(")")
		}
		w.WriteString(")")
		numbers[f] = k
	}
	return numbers, nil
}

func writeExpr(w *bytes.Buffer, e syntax.Expr, number func(string) int, folds map[*syntax.Fold]int) error {
	switch e := e.(type) {
	case *syntax.Var:
		fmt.Fprint(w, number(e.Name))
		return nil
	case *syntax.Number:
		fmt.Fprintf(w, "(const %s)", e.Text)
		return nil
	case *syntax.Operation:
		if f := e.Op.Fold; f != nil {
			fmt.Fprintf(w, "(fold %d %d %d", folds[f], e.Op.Component, len(f.From))
		} else {
			w.WriteString("(" + e.Op.Name)
		}
		for _, a := range e.Args {
			n, ok := a.Value.IsConst()
			if !ok || n < 0 {
				return fmt.Errorf("the argument %s is no natural number", a.Value)
			}
			fmt.Fprintf(w, " %d", n)
		}
		for _, c := range e.Operands {
			w.WriteString(" ")
			if err := writeExpr(w, c, number, folds); err != nil {
				return err
			}
		}
		w.WriteString(")")
		return nil
	}
	return fmt.Errorf("%T is no expression of the proofs", e)
}

// readVerdict reads the lines up to "end".
func readVerdict(lines *bufio.Scanner, p *syntax.Program) (Verdict, error) {
	var v Verdict
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "end":
			return v, nil
		case "ok":
			v.OK, v.Values = true, map[string][]int64{}
		case "ill-typed":
		case "no":
			v.Types = append(v.Types, nil)
		case "type":
			shape := []int{}
			for _, word := range words[1:] {
				n, err := strconv.Atoi(word)
				if err != nil {
					return v, err
				}
				shape = append(shape, n)
			}
			v.Types = append(v.Types, shape)
		case "values":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				return v, err
			}
			values := make([]int64, 0, len(words)-2)
			for _, word := range words[2:] {
				x, err := strconv.ParseInt(word, 10, 64)
				if err != nil {
					return v, err
				}
				values = append(values, x)
			}
			v.Values[p.Allocs[n].Name.Name] = values
		default:
			return v, fmt.Errorf("the oracle says %q", lines.Text())
		}
	}
	return v, fmt.Errorf("the oracle ended early")
}

// Draw returns random programs, every second one spoiled, with their memories.
func Draw(count int) ([]*syntax.Program, []teiltest.Memory[int64]) {
	var programs []*syntax.Program
	var memories []teiltest.Memory[int64]
	for seed := range uint64(count) {
		p := teiltest.Program(seed, teiltest.Options{})
		if seed%2 == 1 {
			p = teiltest.Spoil(seed, p)
		}
		programs = append(programs, p)
		memories = append(memories, teiltest.InitialMemory(p, seed))
	}
	return programs, memories
}
