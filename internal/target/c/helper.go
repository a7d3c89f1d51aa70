package c

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target/c/fold"
	"github.com/ricci-lang/ricci/tensor"
)

// How templates work
//
// A helper is a static C function for one element type and number of lanes. Its
// template is text with placeholders:
//
//	$V the value's type         $S its element        $N the number of lanes
//	$I $U signed and unsigned integers of the same width and lanes
//	$H the type with half the lanes       $J $I with half the lanes
//	$W $X signed and unsigned 16-bit integers, as many as fill the vector
//	$M the vector at any address, $K $I there       $Z the element of $I
//	$BYTES $SIZE the bytes of the value and of an element
//	$MOVE $TOMASK AVX-512 instructions for the element
//	$PACKED the suffix of vector instructions, ps or pd
//	$LETTER that of instructions on integers by their size, b, w, d or q
//	$SUFFIX both sign and size, such as ub or sd
//	$PAIR a struct of two float64, h and l
//	$i32, $f64, … a vector of N such elements (with one lane, the scalar)
//	$C{e} e with its constant parts computed
//	$L{e} the list of that for every lane, with # standing for the lane
//	@name the helper of that name for the same type; @name.S for one lane, @name.P for two,
//	@name.H for half the lanes, @name.i32 for N lanes of another element
//	@shuffle(type of a mask, x, y, lanes) lanes of two vectors
//
// Before a letter or digit a name stands in braces, as in max${PACKED}256. Naming a helper
// defines it first. What #if never chooses for the type is left out, with the helpers that it names.

// A template defines a helper for some types.
type template struct {
	kinds  string // element kinds: any of f (float), i (signed), u (unsigned)
	lanes  lanes
	result string // "" for $V
	params string
	body   string
}

// lanes says to how many lanes a template applies.
type lanes uint8

const (
	scalarOnly lanes = iota
	registers        // vectors that fit in a register
	halved           // vectors that are longer
	vectors          // all vectors
)

func (l lanes) match(count, bytes, registerBytes int) bool {
	switch l {
	case scalarOnly:
		return count == 1
	case registers:
		return count > 1 && bytes <= registerBytes
	case halved:
		return count > 1 && bytes > registerBytes
	}
	return count > 1
}

// dtypeNames maps the C names of elements back to types.
var dtypeNames = map[string]tensor.DType{
	"i8": tensor.Int8, "i16": tensor.Int16, "i32": tensor.Int32, "i64": tensor.Int64,
	"u8": tensor.Uint8, "u16": tensor.Uint16, "u32": tensor.Uint32, "u64": tensor.Uint64,
	"f32": tensor.Float32, "f64": tensor.Float64,
}

// helper returns the name of a helper for a type and sees to its definition.
func (u *unit) helper(name string, t loop.Type) string {
	elem := storedName(t.Elem)
	full := fmt.Sprintf("r_%s_%s", name, elem)
	if t.Lanes > 1 {
		full += fmt.Sprintf("x%d", t.Lanes)
	}
	full += u.suffix
	if !u.once(full) {
		// Two helpers that call each other: the second needs a declaration of the first.
		u.helpers.WriteString(u.unfinished[full])
		delete(u.unfinished, full)
		return full
	}
	h := u.template(name, t)
	result := h.result
	if result == "" {
		result = "$V"
	}
	inline := "inline"
	if name == "next_page" || name == "square" || (memoryTemplates()[name] != nil || halfTemplates[name] != nil || halfArithmeticTemplates[name] != nil || divideTemplates[name] != nil || strings.HasPrefix(name, widenPrefix) || strings.HasPrefix(name, truncatePrefix) || isDot(name) || productTemplates[name] != nil || sharedTemplates[name] != nil) && t.Lanes > 1 {
		// Where the machine has no such vectors the body is long, and a function that is
		// called gets warnings about how it takes vectors; a call that only asks for lines makes
		// loops keep their vectors in memory.
		inline = "inline __attribute__((always_inline))"
	}
	head := u.expand(fmt.Sprintf("static %s %s %s(%s)", inline, result, full, h.params), t)
	u.unfinished[full] = head + ";\n"
	body := u.expand(strings.Trim(h.body, "\n"), t)
	delete(u.unfinished, full)
	u.helpers.WriteString("\n" + u.expand(helperComment(name), t) + head + " {\n" + body + "\n}\n")
	return full
}

// template finds the template of a helper; a vector of a function that has only a
// scalar template is computed lane by lane.
func (u *unit) template(name string, t loop.Type) template {
	kind := map[tensor.Kind]string{tensor.KindFloat: "f", tensor.KindInt: "i", tensor.KindUint: "u", tensor.KindBool: "u"}[t.Elem.Kind()]
	operators := operatorTemplates
	if _, ok := strictOrderTemplates[name]; ok && u.options.Numerics == numerics.Strict && (kind == "f" || strings.HasPrefix(name, "half_")) {
		operators = strictOrderTemplates
	}
	for _, h := range slices.Concat(operators[name], bitTemplates[name], memoryTemplates()[name], halfTemplates[name], transposeTemplates[name], dotTemplates[name], productTemplates[name], sharedTemplates[name], divideTemplates[name], halfArithmeticTemplates[name], ownTemplates[name]) {
		if strings.Contains(h.kinds, kind) && h.lanes.match(t.Lanes, t.Lanes*t.Elem.Size(), u.options.VectorBytes) {
			if narrow, ok := narrowTurns(name, t, h); ok {
				return narrow
			}
			return h
		}
	}
	if h, ok := shiftTemplate(name); ok {
		return h
	}
	if h, ok := u.widenTemplate(name, t); ok {
		return h
	}
	if h, ok := truncateTemplate(name, t.Elem); ok {
		return h
	}
	if h, ok := u.constantDivisionTemplate(name, t); ok {
		return h
	}
	if h, ok := u.mathTemplate(name, t); ok {
		return h
	}
	if t.Lanes > 1 {
		scalar := u.template(name, loop.Scalar(t.Elem))
		return laneByLane(name, scalar.params)
	}
	fail("no helper %s for %s", name, t.Elem)
	return template{}
}

// laneByLane calls the scalar helper for every lane.
func laneByLane(name, scalarParams string) template {
	arity := strings.Count(scalarParams, ",") + 1
	return template{
		params: parameters(arity),
		body:   fmt.Sprintf("  $V r = {};\n  for (int l = 0; l < $N; l++) r[l] = @%s.S(%s);\n  return r;", name, strings.Join(laneArguments[:arity], ", ")),
	}
}

var (
	argumentNames = []string{"x", "y", "z", "w"}
	laneArguments = []string{"x[l]", "y[l]", "z[l]", "w[l]"}
)

func parameters(arity int) string {
	list := make([]string, arity)
	for i := range list {
		list[i] = "$V " + argumentNames[i]
	}
	return strings.Join(list, ", ")
}

var (
	computedPattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(C|L)\{([^}]*)\}`) })
	placeholderPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\$(?:(` + placeholderNames + `)\b|\{(` + placeholderNames + `)\})|@([a-z]\w*)(?:\.(\w+))?`)
	})
)

const placeholderNames = `V|M|K|S|I|Z|U|H|J|W|X|PAIR|MOVE|TOMASK|LETTER|PACKED|SUFFIX|[iuf](?:8|16|32|64)`

// expand replaces the placeholders of a template.
func (u *unit) expand(text string, t loop.Type) string {
	size := t.Elem.Size()
	text = strings.NewReplacer("$N", strconv.Itoa(t.Lanes), "$BYTES", strconv.Itoa(t.Lanes*size), "$SIZE", strconv.Itoa(size)).Replace(text)
	text = computedPattern().ReplaceAllStringFunc(fold.Conditions(text), func(m string) string {
		body := m[len("$L{") : len(m)-1]
		if m[1] == 'C' {
			return fold.Expression(body)
		}
		return strings.Join(forLanes(body, t.Lanes), ", ")
	})
	return placeholderPattern().ReplaceAllStringFunc(text, func(m string) string {
		parts := placeholderPattern().FindStringSubmatch(m)
		switch helper := parts[3]; helper {
		case "":
			return u.placeholder(parts[1]+parts[2], t)
		case "shuffle":
			return u.shuffle()
		default:
			return u.helper(helper, variant(t, parts[4]))
		}
	})
}

// forLanes computes an expression for every lane.
func forLanes(expression string, lanes int) []string {
	list := make([]string, lanes)
	for i := range list {
		list[i] = fold.Expression(strings.ReplaceAll(expression, "#", strconv.Itoa(i)))
	}
	return list
}

// variant returns the type that the suffix of a helper's name stands for.
func variant(t loop.Type, suffix string) loop.Type {
	switch suffix {
	case "S":
		return loop.Scalar(t.Elem)
	case "P":
		return loop.Type{Elem: t.Elem, Lanes: 2}
	case "H":
		return loop.Type{Elem: t.Elem, Lanes: t.Lanes / 2}
	case "":
		return t
	}
	return loop.Type{Elem: dtypeNames[suffix], Lanes: t.Lanes}
}

func (u *unit) placeholder(name string, t loop.Type) string {
	elem := storedName(t.Elem)
	switch name {
	case "V":
		return u.vector(elem, t.Lanes)
	case "M":
		return u.memory(elem, t.Lanes)
	case "K":
		return u.memory(signed(t.Elem.Size()), t.Lanes)
	case "S":
		return elem
	case "Z":
		return signed(t.Elem.Size())
	case "I":
		return u.vector(signed(t.Elem.Size()), t.Lanes)
	case "U":
		return u.vector(unsigned(t.Elem.Size()), t.Lanes)
	case "H":
		return u.vector(elem, t.Lanes/2)
	case "J":
		return u.vector(signed(t.Elem.Size()), t.Lanes/2)
	case "W":
		return u.vector("i16", t.Lanes*t.Elem.Size()/2)
	case "X":
		return u.vector("u16", t.Lanes*t.Elem.Size()/2)
	case "PAIR":
		return u.pair()
	case "MOVE":
		return map[int]string{1: "vmovdqu8", 2: "vmovdqu16", 4: "vmovups", 8: "vmovupd"}[t.Elem.Size()]
	case "TOMASK":
		return "vpmov" + widthLetter(t.Elem) + "2m"
	case "SUFFIX":
		sign := map[bool]string{true: "s", false: "u"}[t.Elem.Kind() == tensor.KindInt]
		return sign + widthLetter(t.Elem)
	case "LETTER":
		return widthLetter(t.Elem)
	case "PACKED":
		return map[int]string{4: "ps", 8: "pd"}[t.Elem.Size()]
	}
	return u.vector(name, t.Lanes)
}

// shuffle defines the macro that chooses lanes of two vectors, and returns its name.
func (u *unit) shuffle() string {
	if u.once("r_shuffle") {
		u.types.WriteString(`#if defined(__clang__) || __GNUC__ >= 12
#define r_shuffle(mask, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define r_shuffle(mask, x, y, ...) __builtin_shuffle(x, y, (mask){__VA_ARGS__})
#endif
`)
	}
	return "r_shuffle"
}

// pair defines the struct of two float64, and returns its name.
func (u *unit) pair() string {
	if u.once("r_pair") {
		u.types.WriteString("typedef struct { f64 h, l; } r_pair;\n")
	}
	return "r_pair"
}

// declare adds the declaration of a function of the C library.
func (u *unit) declare(prototype string) {
	if u.once(prototype) {
		u.declared.WriteString(prototype + ";\n")
	}
}
