package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

var (
	listedTheorem   = regexp.MustCompile(`(?m)^ *@(\w+),?$`)
	declaredTheorem = regexp.MustCompile(`(?m)^ *(?:Theorem|Lemma|Corollary) (\w+)`)
	theoremCell     = regexp.MustCompile(`(?m)^\|((?: *` + "`" + `\w+` + "`" + `,?)+) *\|`)
	codeSpan        = regexp.MustCompile("`(\\w+)`")
	coqConstructor  = regexp.MustCompile(`(?m)^(?:\| |Inductive .*:= ?)([A-Z]\w+)|\| ([A-Z]\w+)|Definition (contr|apply)`)
)

// names returns what the first filled group of each match holds.
func names(pattern *regexp.Regexp, text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		for _, name := range match[1:] {
			if name != "" {
				found[name] = true
			}
		}
	}
	return found
}

func proofFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "proofs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheoremsAreNamed: the page of the proofs names exactly the theorems that are
// checked, and each is declared in a file that is compiled.
func TestTheoremsAreNamed(t *testing.T) {
	listed := names(listedTheorem, proofFile(t, "Theorems.v"))
	if len(listed) < 80 {
		t.Errorf("only %d theorems are listed", len(listed))
	}
	named := map[string]bool{}
	for _, cell := range theoremCell.FindAllStringSubmatch(proofFile(t, "README.md"), -1) {
		for name := range names(codeSpan, cell[1]) {
			named[name] = true
		}
	}
	declared := map[string]bool{}
	for _, file := range strings.Fields(proofFile(t, "_CoqProject")) {
		if strings.HasSuffix(file, ".v") {
			for name := range names(declaredTheorem, proofFile(t, file)) {
				declared[name] = true
			}
		}
	}
	for name := range listed {
		if !named[name] {
			t.Errorf("proofs/README.md does not name %s", name)
		}
		if !declared[name] {
			t.Errorf("no file of _CoqProject declares %s", name)
		}
	}
	for name := range named {
		if !listed[name] {
			t.Errorf("proofs/README.md names %s, which Theorems.v does not list", name)
		}
	}
}

// TestOperationsAreProved: every operation is a term of the proofs, whose parts are in
// Syntax.v or Maps.v, and the oracle reads these operations.
func TestOperationsAreProved(t *testing.T) {
	constructors := names(coqConstructor, proofFile(t, "Syntax.v")+proofFile(t, "Maps.v"))
	driver := proofFile(t, "oracle/oracle.ml")
	for _, op := range syntax.Operations() {
		if op.Coq == "" {
			t.Errorf("%s is not in the proofs", op.Name)
		}
		for _, word := range strings.FieldsFunc(op.Coq, func(r rune) bool { return strings.ContainsRune(" ()", r) }) {
			if word != "f" && !constructors[word] {
				t.Errorf("%s is %q for the table, but Syntax.v and Maps.v have no %s", op.Name, op.Coq, word)
			}
		}
		if op.Builtin == nil && !strings.Contains(driver, `| "`+op.Name+`", [`) {
			t.Errorf("the oracle does not read %s", op.Name)
		}
	}
}
