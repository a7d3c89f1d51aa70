package typed

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
)

// TestTableMeansWhatThereIs looks up what rows say that they mean.
func TestTableMeansWhatThereIs(t *testing.T) {
	scalar := strings.Fields("! < <= > >= == != + - * / % neg power abs real min max")
	used := map[string]bool{}
	for _, row := range Rows() {
		switch row.Means {
		case Generic:
			used[row.With] = true
			if !slices.ContainsFunc(field.Rows(), func(r field.Row) bool { return r.Name == row.With }) {
				t.Errorf("%s: internal/field has no operator %s", row.Name, row.With)
			}
		case Scalar:
			if _, ok := ein.LookupBuiltin(row.With); !ok && !slices.Contains(scalar, row.With) {
				t.Errorf("%s: there is no scalar operation %s", row.Name, row.With)
			}
		}
		if row.Text == "" || !strings.Contains(row.Signature, "->") || !slices.Contains(Candidates(row.Name, row.Form), row) {
			t.Errorf("the row of %s is not complete", row.Name)
		}
	}
	// Nodes of their own mean these.
	for _, name := range []string{"slice", "construct", "conv", "probe"} {
		used[name] = true
	}
	for _, row := range field.Rows() {
		if !used[row.Name] {
			t.Errorf("no row means the operator %s of internal/field", row.Name)
		}
	}
}

func TestTypesAreWrittenAsInPrograms(t *testing.T) {
	s := &Strand{Name: "ray"}
	for want, typ := range map[string]*Type{
		"real": Real(), "vec3": TensorOf(3), "mat2": TensorOf(2, 2), "tensor[2,3]": TensorOf(2, 3), "tensor[5]": TensorOf(5),
		"int[3][]": SequenceOf(SequenceOf(&Type{Kind: Int}, 3), Dynamic), "{}": SequenceOf(&Type{}, 0),
		"field#2(3)[3]": FieldOf(2, 3, 3), "field(1)[]": FieldOf(Smooth, 1), "image(2)[4]": {Kind: Image, Dim: 2, Shape: []int{4}},
		"kernel#1": {Kind: Kernel, Continuity: 1}, "ray[]": SequenceOf(&Type{Kind: Reference, Strand: s}, Dynamic),
	} {
		if typ.String() != want {
			t.Errorf("%v is written %s", want, typ)
		}
		if !typ.Equal(typ) || typ.Equal(&Type{Kind: Set}) {
			t.Errorf("%v is not equal to itself alone", want)
		}
	}
}
