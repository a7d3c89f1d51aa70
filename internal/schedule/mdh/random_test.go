package mdh

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestMeaning executes random configurations on random models word by word, those that the model allows and
// others: all mean what the function means, and their texts read back.
func TestMeaning(t *testing.T) {
	models := machine.Models()
	drawn, allowed := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 2})
		if len(s.G.Body) == 0 {
			return
		}
		m := models[below(t, len(models), "model")]
		bare := *m
		bare.Constraints = nil
		p := &Plan{}
		for n := range s.G.Body {
			c := ComputationOf(s.G, n)
			var k *Configuration
			if below(t, 2, "allowed") == 1 {
				drawn[m.Name]++
				if k = drawAllowed(t, c, m); k != nil {
					allowed[m.Name]++
				}
			}
			if k == nil {
				k = drawAny(t, c, &bare)
			}
			if list := Validate(c, k, Options{}); len(list) > 0 {
				t.Fatalf("%s\n%s\n%s", errorsOf(list), s.G, k.Table(c.Name))
			}
			text := k.Expression(c)
			if p, err := ParsePlan(text, nil); err != nil || only(p).Expression(c) != text || only(p).Table(c.Name) != k.Table(c.Name) {
				t.Fatalf("%v\n%s", err, text)
			}
			brief := k.BriefExpression(c)
			if p, err := ParsePlan(brief, nil); err != nil || only(p).BriefExpression(c) != brief {
				t.Fatalf("%v\n%s", err, brief)
			}
			p.Groups = append(p.Groups, &Group{Members: []Member{{n, k}}})
		}
		again, err := ParsePlan(p.String(), nil)
		if err != nil || again.String() != p.String() {
			t.Fatalf("%v: printed\n%s\nread\n%s", err, p, again)
		}
		got, err := Evaluate(s.G, p, s.Args)
		s.Matches(t, got, err, p.String())
	})
	t.Logf("allowed %v of %v", allowed, drawn)
	for name, n := range drawn {
		if n >= 10 && allowed[name] < n/2 {
			t.Errorf("%s allows %d of %d drawn configurations", name, allowed[name], n)
		}
	}
}

// only returns the configuration of a plan for one statement.
func only(p *Plan) *Configuration { return p.Groups[0].Members[0].Configuration }

// TestTrees makes schedule trees of random configurations of the host: what Validate
// accepts is a tree that Check accepts, unless the program's dependences forbid it, and
// its loops compute what the function means.
func TestTrees(t *testing.T) {
	valid, refused, illegal := 0, 0, 0
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 2})
		processor := scheduletest.Machine(t)
		p := &Plan{}
		for n := range s.G.Body {
			c := ComputationOf(s.G, n)
			m := machine.Of(processor, c.ElementBytes())
			k := drawHost(t, c, m)
			if list := Validate(c, k, Options{}); len(list) > 0 {
				seen[list[0].Parameter]++
				refused++
				if k = Plain(c, m); len(Validate(c, k, Options{})) > 0 {
					t.Fatalf("plain: %s\n%s\n%s", errorsOf(Validate(c, k, Options{})), s.G, k.Table(c.Name))
				}
			} else {
				valid++
			}
			p.Groups = append(p.Groups, &Group{Members: []Member{{n, k}}})
		}
		if len(p.Groups) == 0 {
			return
		}
		tree, err := Make(s.G, p)
		var list source.ErrorList
		if errors.As(err, &list) && list[0].Code == source.ScheduleIllegal {
			illegal++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s\n%s\n%s", err, s.G, p, schedule.Print(tree))
		}
		got, err := s.Loops(t, tree)
		s.Matches(t, got, err, p.String()+schedule.Print(tree))
	})
	t.Logf("%d valid, %d refused %v, %d break dependences", valid, refused, seen, illegal)
	if valid < refused/4 {
		t.Error("too few of the drawn configurations are valid")
	}
}
