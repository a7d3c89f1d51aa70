package lower_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lift"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/passes"
)

// A treatment says what becomes of a kind of statement.
type treatment struct {
	lowered bool // it has a native form; in blocks of the world it has none, and needs none
	lifted  bool // it can be part of a def over points
}

// treatments are those of all kinds. Who adds a kind adds a row, and a program with it to testdata/lowered, or testdata/refused.
var treatments = map[string]treatment{
	"Assign": {true, true}, "If": {true, true}, "ForRange": {true, false}, "ForEach": {true, false}, "Build": {true, false}, "Length": {true, false},
	"Element": {true, false}, "Query": {true, false}, "Get": {true, false}, "Count": {true, false}, "Reduce": {true, false}, "New": {true, false},
	"Exit": {true, false}, "AllExit": {true, false}, "Message": {true, false}, "Sample": {true, true}, "Eigen": {true, true},
}

// TestTotal: each kind of statement has a row, a program that is lowered or refused as it says, a verdict of the lifter, and passes
// that know it.
func TestTotal(t *testing.T) {
	if kinds := statementKinds(t); !slices.Equal(kinds, slices.Sorted(maps.Keys(treatments))) {
		t.Fatalf("the kinds of statements are %v, and there are rows for %v", kinds, slices.Sorted(maps.Keys(treatments)))
	}
	for kind, want := range treatments {
		t.Run(kind, func(t *testing.T) {
			place := map[bool]string{true: "lowered", false: "refused"}[want.lowered]
			archive, err := txtar.ParseFile("testdata/" + place + "/" + kind + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			text := string(archive.Files[0].Data)
			p, o := parse(t, text)
			if _, err := lower.Lower(p, o); (err == nil) != want.lowered {
				t.Errorf("lowered: %v", err)
			}
			lifted(t, p, kind, want.lifted)
			p, _ = parse(t, text)
			passes.Run(p)
			if err := strand.Verify(p); err != nil {
				t.Errorf("after the passes: %v\n%s", err, strand.Print(p))
			}
			if statementOf(p, kind) == nil {
				t.Errorf("the passes leave out the only %s of the program:\n%s", kind, strand.Print(p))
			}
		})
	}
}

// lifted asks the lifter for a def of the first statement of a kind.
func lifted(t *testing.T, p *strand.Program, kind string, want bool) {
	t.Helper()
	s := statementOf(p, kind)
	if s == nil {
		t.Fatalf("the program has no %s", kind)
	}
	points := &lift.Points{Name: "f", Real: p.Real, Int: p.Int, Images: p.Images, Body: strand.Block{s}}
	for _, v := range p.Variables {
		if !v.Type.Dynamic && v.Type.Elem <= strand.Real {
			points.Given = append(points.Given, v)
		}
	}
	result := strand.NewProgram("f", p.Real, p.Int).Declare(p.Pos, strand.State, "result", strand.Type{Elem: strand.Real})
	points.Results = []*strand.Variable{result}
	points.Body = append(points.Body, &strand.Assign{To: result.Parts[0], Value: ein.FloatConst(p.Real, 0)})
	_, err := lift.Func(points)
	var not *lift.NotPure
	if want && err != nil || !want && !errors.As(err, &not) {
		t.Errorf("lifted: %v, want %t", err, want)
	}
}

// statementOf is the first statement of a kind in a program.
func statementOf(p *strand.Program, kind string) (found strand.Stmt) {
	for _, b := range []strand.Block{p.Update, p.GlobalUpdate, p.Initialize} {
		strand.Walk(b, func(s strand.Stmt) {
			if found == nil && reflect.TypeOf(s).Elem().Name() == kind {
				found = s
			}
		})
	}
	return found
}

// statementKinds are the types with a method stmt in package strand.
func statementKinds(t *testing.T) (kinds []string) {
	t.Helper()
	text, err := os.ReadFile("../stmt.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "stmt.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Name.Name != "stmt" || f.Recv == nil {
			continue
		}
		if star, is := f.Recv.List[0].Type.(*ast.StarExpr); is {
			kinds = append(kinds, star.X.(*ast.Ident).Name)
		}
	}
	slices.Sort(kinds)
	return kinds
}
