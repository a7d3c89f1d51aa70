package ricci_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// chain is a def of two products and a sum, whose schedules the tests transform.
const chain = `def chain(float(M,K) A, float(K,N) B, float(N,L) C) -> (T, Y) {
T(i,j) +=! A(i,k) * B(k,j)
Y(i,l) +=! T(i,j) * C(j,l) }`

// TestScheduleOfDef runs schedules that transformations made, and compares with the evaluator.
func TestScheduleOfDef(t *testing.T) {
	p, err := ricci.Parse("test.tc", chain)
	if err != nil {
		t.Fatal(err)
	}
	def, err := p.Def("")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"M": 37, "K": 20, "N": 33, "L": 18}
	start := def.Schedule(sizes, ricci.Options{})
	tests := []struct {
		name string
		s    *ricci.Schedule
	}{
		{"plain", start},
		{"tile", start.Tile(8).Interchange(5, 6).Vectorize(6).Parallelize(1)},
		{"jam", start.Of("T").UnrollJam(1, 4).Interchange(2, 3).Vectorize(3)},
		{"tiles of two sizes", start.Tile(8, 4).Permute(1, 3, 5, 2, 4).Vectorize(5, 4)},
		{"default", start.Default()},
		{"fused", start.Of("T").FuseOuter("Y", 1).Parallelize(1)},
		{"packed", start.Interchange(2, 3).Vectorize(3).Pack(0, "C", 2, 1).Of("T").Promote(0, "A")},
		{"reduction", start.Stripmine(3, 8).Parallelize(3).Vectorize(4)},
		{"written out", start.Stripmine(3, 5).Unroll(4).Of("T").Unroll(3)},
	}
	resolved, err := argument.Resolve(def, argument.Request{Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	args := resolved.Args
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := test.s.Text()
			if err != nil {
				t.Fatal(err)
			}
			results, err := def.RunWith(t.Context(), args, nil, ricci.Options{Schedule: text})
			if err == nil {
				_, err = def.Check(t.Context(), args, results, nil)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestScheduleErrors: the first error of the steps is kept.
func TestScheduleErrors(t *testing.T) {
	p, err := ricci.Parse("test.tc", chain)
	if err != nil {
		t.Fatal(err)
	}
	def := p.Defs()[0]
	s := def.Schedule(map[string]int64{"M": 37, "K": 20, "N": 33, "L": 18}, ricci.Options{})
	tests := []struct {
		name string
		s    *ricci.Schedule
		want string
	}{
		{"level", s.Unroll(4).Tile(8), "there is no level 4"},
		{"tensor", s.Of("Z"), "does not compute a tensor Z"},
		{"name", s.Apply("rotate", 1), "no transformation rotate"},
		{"itself", s.FuseOuter("Y", 1), "cannot be fused with itself"},
		{"near name", s.Apply("tiles", 8), "no transformation tiles"},
		{"type", s.Apply("unroll", 1.5), "unroll: found an argument of type float64"},
		{"range", s.Of("T").FuseOuter("Y", 2), "not identical"},
		{"sizes", def.Schedule(nil, ricci.Options{}).Tile(8), "was not given"},
		{"order", s.FuseOuter("T", 1), "fuse_outer(l1, l2, 1) breaks a dependence"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.s.Text()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, expected %q", err, test.want)
			}
			if d := (*ricci.Diagnostic)(nil); !errors.As(err, &d) || d.Code == "" {
				t.Errorf("%v is no diagnostic", err)
			}
			if kept := test.s.Err(); kept != nil && !errors.Is(err, kept) && kept.Error() != err.Error() {
				t.Errorf("Err is %v, Text has %v", kept, err)
			}
		})
	}
	if _, err := s.FuseOuter("T", 1).Unchecked().Text(); err != nil {
		t.Error(err)
	}
}

// TestMethodsOfSchedule compares the methods of a Schedule with the table of the
// transformations: each row has a method with its name and its parameters, and there are
// no other transformations.
func TestMethodsOfSchedule(t *testing.T) {
	schedule := reflect.TypeFor[*ricci.Schedule]()
	known := []string{"Of", "Apply", "Default", "Script", "Unchecked"}
	for _, row := range transform.Table() {
		name := ""
		for word := range strings.SplitSeq(row.Name, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		known = append(known, name)
		method, ok := schedule.MethodByName(name)
		if !ok {
			t.Errorf("%s has no method %s", row.Signature(), name)
			continue
		}
		var want []reflect.Type
		if row.Nests == 2 {
			want = append(want, reflect.TypeFor[string]()) // the tensor whose nest is the second
		}
		for k, p := range row.Parameters {
			kind := reflect.TypeFor[int]()
			if p.Kind == transform.Name {
				kind = reflect.TypeFor[string]()
			}
			if p.Optional {
				kind = reflect.SliceOf(kind)
				if k > 0 && row.Parameters[k-1].Name == p.Name { // one list has both
					want = want[:len(want)-1]
				}
			}
			want = append(want, kind)
		}
		var got []reflect.Type
		for k := 1; k < method.Type.NumIn(); k++ {
			got = append(got, method.Type.In(k))
		}
		if !slices.Equal(got, want) || method.Type.IsVariadic() != row.Parameters[len(row.Parameters)-1].Optional {
			t.Errorf("%s has the parameters %v, expected %v as in %s", name, got, want, row.Signature())
		}
	}
	for k := range schedule.NumMethod() {
		m := schedule.Method(k)
		if m.Type.NumOut() == 1 && m.Type.Out(0) == schedule && !slices.Contains(known, m.Name) {
			t.Errorf("the method %s is no transformation of the table", m.Name)
		}
	}
}

// TestScheduleWarnings: a mark that gives way is told, with the step that made it.
func TestScheduleWarnings(t *testing.T) {
	def := must(must(ricci.Parse("test.tc", chain)).Def(""))
	s := def.Schedule(map[string]int64{"M": 37, "K": 20, "N": 33, "L": 18}, ricci.Options{})
	tests := []struct {
		name string
		s    *ricci.Schedule
		want []string // what each warning contains
	}{
		{"none", s.Parallelize(1).Vectorize(2), nil},
		{"parallel", s.Parallelize(1).Interchange(2, 3).Parallelize(3), []string{"the parallel loop l of parallelize(l, 3)"}},
		{"error", s.Parallelize(1).Parallelize(4), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			warnings := test.s.Warnings()
			if len(warnings) != len(test.want) {
				t.Fatalf("found the warnings %v, expected %d", warnings, len(test.want))
			}
			for k, w := range warnings {
				if w.Code != source.CodeTeMLIdle || w.Severity != source.Warning || !strings.Contains(w.Message, test.want[k]) {
					t.Errorf("%v, expected %s: %q", w, source.CodeTeMLIdle, test.want[k])
				}
			}
		})
	}
}
