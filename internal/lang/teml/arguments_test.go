package teml

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule/transform"
)

// TestArguments calls every transformation and every operation with arguments that are
// wrong in number or kind: none is ignored.
func TestArguments(t *testing.T) {
	calls := map[string][]string{ // of operations, with good arguments
		"tensor": {"float32", "[4]"}, "scalar": {"float32"}, "eq": {"A", "[i, j] -> [i, j]"}, "veq": {"A", "[i, j]"},
		"vsum": {"veq(A, [i, j])", "[j]"}, "add": {"A", "A", "[[i, j], [i, j]] -> [i, j]"}, "vmul": {"A", "A", "[[i, j], [i, j]]"},
		"transpose": {"A", "[[1, 2]]"}, "vtranspose": {"A", "[[1, 2]]"}, "contract": {"A", "A", "[2, 1]"}, "vcontract": {"A", "A", "[2, 1]"},
		"entrywise_sub": {"A", "A"}, "entrywise_div": {"A", "A"}, "build": {"B"}, "depth": {"l"}, "rank": {"A"}, "shape": {"A"},
		"length": {"[1]"}, "take": {"[1]", "1"}, "drop": {"[1]", "1"}, "is_list": {"[1]"}, "pairs": {"[1, 2]"}, "positions": {"[1]", "A"},
	}
	marks := map[string][]string{ // those of vectors, and of blocks of which the last is smaller
		"stream": {"v", "3"}, "ahead": {"v", "3", "64"}, "prefetch": {"v", "1", "3"}, "pad": {"u", "2"},
	}
	const most = "of any number"
	names := map[string]string{"t": "A", "region": "private", "layer": "COR"}
	kinds := map[string][]transform.Kind{}
	for _, row := range transform.Table() {
		args := []string{"l", "m"}[:row.Nests]
		kinds[row.Name] = make([]transform.Kind, row.Nests)
		level := 0
		for _, p := range row.Parameters {
			value := "2"
			switch p.Kind {
			case transform.Name:
				value = names[p.Name]
			case transform.Level, transform.Inside:
				level++
				value = []string{"1", "2"}[level-1]
			}
			if !p.Optional {
				args, kinds[row.Name] = append(args, value), append(kinds[row.Name], p.Kind)
			}
		}
		if p := row.Parameters[len(row.Parameters)-1]; p.Optional {
			args = append(args, most)
		}
		if special, ok := marks[row.Name]; ok {
			args = special
		}
		calls[row.Name] = args
	}
	accepted := func(name string, args []string) bool {
		text := "A = tensor([8, 8])\nB = entrywise_add(A, A)\nC = entrywise_add(A, A)\nl = stripmine(build(B), 2, 2)\nm = stripmine(build(C), 2, 2)\nv = vectorize(stripmine(build(B), 2, 4), 3)\nu = stripmine(build(B), 2, 3)\nx = " + name + "(" + strings.Join(args, ", ") + ")\n"
		return !reported(compileText(t, text)).HasErrors()
	}
	for name, args := range calls {
		open := slices.Contains(args, most)
		args = slices.DeleteFunc(args, func(a string) bool { return a == most })
		if !accepted(name, args) {
			t.Errorf("%s(%s) is refused", name, strings.Join(args, ", "))
		}
		if !open && accepted(name, append(slices.Clone(args), "5")) {
			t.Errorf("%s takes an argument too many", name)
		}
		if _, isTransformation := kinds[name]; isTransformation && accepted(name, args[:len(args)-1]) {
			t.Errorf("%s does not miss its last argument", name)
		}
		for k, kind := range kinds[name] {
			wrong := []string{"1.5", "true", "B[1]", "nowhere"}
			switch {
			case slices.Contains([]string{"l", "m", "u", "v"}, args[k]), kind == transform.Name:
				wrong = append(wrong, "3")
			case kind == transform.Level:
				wrong = append(wrong, "0", "-1", "9", "99999999999", "A", "l")
			case kind == transform.Inside:
				wrong = append(wrong, "-1", "9", "99999999999", "A")
			default:
				wrong = append(wrong, "99999999999", "A", "l")
			}
			for _, w := range wrong {
				bad := slices.Clone(args)
				if bad[k] = w; accepted(name, bad) {
					t.Errorf("%s(%s) is accepted", name, strings.Join(bad, ", "))
				}
			}
		}
	}
}
