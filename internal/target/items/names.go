package items

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// reserved are the words that no variable may have: those of C and C++, and what the printer uses itself.
var reserved = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`
		alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr const_cast continue
		default delete do double dynamic_cast else enum explicit export extern false float for friend goto half if inline int long
		mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
		restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true
		try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
		uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t main linux unix workspace fault`) {
		words[w] = true
	}
	return words
})

// ownNames matches the types and helpers of the printer.
var ownNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([iuf](8|16|32|64)(x\d+)?|r_.*|ricci_.*|_.*|.*_(memory|at))$`)
})

// identifier makes an identifier out of a name of any notation.
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

// reserves reports whether a name means something in the dialect.
func (u *unit) reserves(name string) bool {
	if u.words == nil {
		u.words = map[string]bool{}
		for _, w := range strings.Fields(u.dialect.Reserved) {
			u.words[w] = true
		}
		for _, f := range u.dialect.Functions {
			for _, text := range []string{f.Single, f.Double} {
				word, _, _ := strings.Cut(text, "(")
				u.words[word] = true
			}
		}
	}
	return reserved()[name] || u.words[name] || ownNames().MatchString(name)
}

// A scope gives every variable and buffer of one kernel its own name.
type scope struct {
	unit  *unit
	names map[any]string
	taken map[string]bool
}

func newScope(u *unit) *scope {
	return &scope{unit: u, names: map[any]string{}, taken: map[string]bool{}}
}

// declare chooses a name for object, close to the wanted one.
func (s *scope) declare(object any, wanted string) string {
	name := identifier(wanted)
	if s.unit.reserves(name) {
		name = "v_" + name
	}
	unique := name
	for i := 1; s.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	s.taken[unique] = true
	s.names[object] = unique
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
