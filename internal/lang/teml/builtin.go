package teml

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A builtin is a function of the core language. What can be composed of others is
// in std.teml instead.
type builtin struct {
	form        string // how it is written
	least, most int    // arguments
	apply       func(in *interpreter, e *syntax.Call, target *syntax.Name) value
}

// coreLanguage is the table of the core language but for the transformations of loops.
func coreLanguage() map[string]*builtin {
	table := map[string]*builtin{
		"scalar":    {"scalar() or scalar(float32)", 0, 1, declaration},
		"tensor":    {"tensor([N, M]) or tensor(float32, [N, M])", 1, 2, declaration},
		"eq":        {"eq(t, I0 -> I1)", 2, 2, eq},
		"veq":       {"veq(t, I0) or veq(t, I0 -> I1)", 2, 2, veq},
		"vsum":      {"vsum(t, [k])", 2, 2, vsum},
		"length":    {"length(list)", 1, 1, length},
		"take":      {"take(list, n)", 2, 2, take},
		"drop":      {"drop(list, n)", 2, 2, drop},
		"is_list":   {"is_list(x)", 1, 1, isList},
		"iterators": {"iterators(i, n) or iterators(k)", 1, 2, freshIterators},
		"rank":      {"rank(t)", 1, 1, rank},
		"positions": {"positions(x, t) or positions(x, l)", 2, 2, positions},
		"pairs":     {"pairs(x)", 1, 1, pairs},
		"same_rank": {"same_rank(t, t0)", 2, 2, sameRank},
		"shape":     {"shape(t)", 1, 1, shape},
		"build":     {"build(t)", 1, 2, build},
		"depth":     {"depth(l)", 1, 1, depth},
		"default":   {"default()", 0, 0, defaultLoops},
	}
	for name := range operators {
		table[name] = &builtin{fmt.Sprintf("%s(t0, t1, [I0, I1] -> I2)", name), 3, 3, op}
		table["v"+name] = &builtin{fmt.Sprintf("v%s(t0, t1, [I0, I1])", name), 3, 3, vop}
	}
	return table
}

func length(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	return number{affine.Const(int64(len(expect[list](in, e.Args[0], nil))))}
}

func take(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	l, n := in.cut(e)
	return l[:n:n]
}

func drop(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	l, n := in.cut(e)
	return l[n:]
}

func (in *interpreter) cut(e *syntax.Call) (list, int64) {
	l, n := expect[list](in, e.Args[0], nil), in.constant(e.Args[1])
	if n < 0 || n > int64(len(l)) {
		in.fail(source.CodeTeMLCount, e.Pos, "%s of %d entries of a list of %d", e.Name.Name, n, len(l)).help("the number is from 0 to the length of the list")
	}
	return l, n
}

func isList(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	_, ok := in.eval(e.Args[0], nil).(list)
	return truth(ok)
}

// freshIterators makes a list of iterators [i1, …, in], or [k], that are no sizes.
func freshIterators(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	base, ok := expect[number](in, e.Args[0], nil).IsSymbol()
	names := []string{base}
	if len(e.Args) > 1 {
		n := in.constant(e.Args[1])
		if ok = ok && n >= 0 && n <= maxStatement; ok {
			names = iteratorNames(base, int(n))
		}
	}
	if !ok {
		in.fail(source.CodeTeMLCount, e.Pos, "iterators takes a name that nothing defines, and a number from 0").help("iterators(i, 3) is [i1, i2, i3], iterators(k) is [k]")
	}
	fresh := make(list, len(names))
	for k, name := range names {
		for in.sizes[name] != nil {
			name += "_"
		}
		fresh[k] = number{affine.Symbol(name)}
	}
	return fresh
}

// dimensions are the sizes of an operand: of its iterators, where it has some.
func (in *interpreter) dimensions(t *Tree) []affine.Expr {
	if t.iters.state == given {
		return in.shapeOf(symbols(t.free), t)
	}
	return t.shape
}

func rank(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	return number{affine.Const(int64(len(in.dimensions(in.operand(e.Args[0], target)))))}
}

// positions is its first argument, a number or a list of numbers or of such lists: the
// dimensions of a tensor or the levels of a nest. It reports one that is not there, or
// twice in a list.
func positions(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	x, of := in.eval(e.Args[0], nil), in.eval(e.Args[1], target)
	pos := e.Args[0].Span()
	what, owner, most := "dimension", "", 0
	if one, ok := of.(list); ok && len(one) == 1 {
		of = one[0]
	}
	if l, ok := of.(loop); ok {
		if l.nest.Func() == in.loops.all && len(in.loops.failed) > 0 {
			return x // the levels are known when the nests of the function are built
		}
		what, owner, most = "level", "the nest", l.nest.Depth()
	} else {
		t := in.operand(e.Args[1], target)
		owner, most = strings.TrimPrefix(described(t), "the tensor "), len(in.dimensions(t))
	}
	var check func(v value)
	check = func(v value) {
		l, isList := v.(list)
		for n, item := range l {
			if slices.ContainsFunc(l[:n], func(other value) bool { return equal(item, other) }) {
				in.fail(source.CodeTeMLCount, pos, "the %s %s is named twice", what, item).help("each %s is named once", what)
			}
			check(item)
		}
		if isList {
			return
		}
		if n := in.known(as[number](in, v, pos), pos); n < 1 || n > int64(most) {
			in.fail(source.CodeTeMLCount, pos, "there is no %s %d: %s has %s", what, n, owner, count(most, what)).help("%ss are counted from 1", what)
		}
	}
	check(x)
	return x
}

// pairs is its argument, a pair of numbers or a list of such pairs, as a list of pairs.
func pairs(in *interpreter, e *syntax.Call, _ *syntax.Name) value {
	v := in.eval(e.Args[0], nil)
	wrong := func(found string) {
		in.fail(source.CodeTeMLCount, e.Args[0].Span(), "found %s, expected a pair of dimensions", found).help("write [2, 1] for the second and the first, or a list of such pairs: [[2, 1], [3, 2]]")
	}
	all, isList := v.(list)
	if !isList || len(all) == 0 {
		wrong(described(v))
	}
	if _, several := all[0].(list); !several {
		all = list{all}
	}
	for _, v := range all {
		if pair, isList := v.(list); !isList || len(pair) != 2 {
			wrong(v.String())
		}
	}
	return all
}

// sameRank is the rank of its first argument, which has to be that of the second one.
func sameRank(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	t, as := in.operand(e.Args[0], target), in.operand(e.Args[1], target)
	own, other := len(in.dimensions(t)), len(in.dimensions(as))
	if own != other && !t.fresh {
		in.fail(source.CodeTeMLRank, e.Args[0].Span(), "%s has %s, and %s has %d; entrywise operations need the same number", described(t), count(own, "dimension"), described(as), other).
			help("add, sub, mul and div say which elements meet: add(A, B, [[i, j], [j]] -> [i, j])")
	}
	return whole(other)
}

func shape(in *interpreter, e *syntax.Call, target *syntax.Name) value {
	var sizes list
	for _, s := range in.dimensions(in.operand(e.Args[0], target)) {
		sizes = append(sizes, number{s})
	}
	return sizes
}

// asInt converts a known number that is small enough for an argument.
func (in *interpreter) asInt(v value, pos source.Span) int64 {
	n := in.known(as[number](in, v, pos), pos)
	if n > math.MaxInt32 || n < math.MinInt32 {
		in.fail(source.CodeTeMLCount, pos, "%d is no sensible argument", n).help("levels and factors are small numbers")
	}
	return n
}
