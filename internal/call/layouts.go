package call

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
)

// CheckLayouts refuses strides that no array can have that a kernel is called with: of a shape that is not known, of elements beyond
// what there can be, of outputs of which several elements are one place. Sizes are those that are compiled in.
func CheckLayouts(d *compile.Def, sizes map[string]int64, strides map[string][]int) error {
	for _, t := range append(d.Func.Inputs(), d.Func.Outputs()...) {
		list, given := strides[t.Name]
		if !given {
			continue
		}
		if len(list) != len(t.Dims) {
			return unusable(d, t.Name, fmt.Sprintf("has %d dimensions, and %d strides", len(t.Dims), len(list)))
		}
		shape := make([]int, len(t.Dims))
		reach := float64(t.Type.Size())
		for i, dim := range t.Dims {
			n, err := dim.Extent.Eval(sizes)
			if err != nil {
				return unusable(d, t.Name, "has strides, and its extents are dynamic: dense arrays have such extents only")
			}
			shape[i] = int(n)
			reach += float64(n) * math.Abs(float64(list[i])) * float64(t.Type.Size())
		}
		if reach >= math.MaxInt64/2 {
			return unusable(d, t.Name, fmt.Sprintf("has elements beyond all memory: shape %v, strides %v", shape, list))
		}
		if t.Role != ein.Input && !distinct(shape, list) {
			return unusable(d, t.Name, fmt.Sprintf("has elements that share memory: shape %v, strides %v", shape, list))
		}
	}
	return nil
}
