package c

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// reservedWords are the words that a variable must not be called: the keywords of
// GNU C and the names that the printer uses itself.
var reservedWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`
		asm auto bool break case char const constexpr continue default do double else enum extern false float for goto
		if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch
		main thread_local true typedef typeof union unsigned void volatile while linux unix i386
		after aligned args begin bytes end body captured context count done fault failed offset own part threads workspace`) {
		words[w] = true
	}
	return words
})

// ownNames matches the types and helpers of the printer.
var ownNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([iuf](8|16|32|64)(x\d+u?)?|r_.*|ricci_.*|_.*)$`) })

// identifier makes a C identifier out of a name of any notation.
func identifier(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteString("n")
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	if b.Len() == 0 {
		return "unnamed"
	}
	return b.String()
}

// A scope gives every variable and buffer of one kernel its own C name. Names are
// unique in the whole kernel, so that a body that is moved into a function of its
// own keeps its meaning.
type scope struct {
	names map[any]string
	order map[any]int // of the declarations
	taken map[string]bool
}

func newScope() *scope {
	return &scope{names: map[any]string{}, order: map[any]int{}, taken: map[string]bool{}}
}

// declare chooses a name for object, close to the wanted one.
func (s *scope) declare(object any, wanted string) string {
	name := identifier(wanted)
	if reservedWords()[name] || ownNames().MatchString(name) {
		name = "v_" + name
	}
	unique := name
	for i := 1; s.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	s.taken[unique] = true
	s.names[object], s.order[object] = unique, len(s.taken)
	return unique
}

// name returns the name that object was declared with.
func (s *scope) name(object any, what string) string {
	name, ok := s.names[object]
	if !ok {
		fail("%s is used outside its scope", what)
	}
	return name
}
