package loop

import "fmt"

// How things are named
//
// What is equal is found by texts (ExprText), so that no two variables, and no two buffers, of a program that still
// changes have the same name. A Fresh knows the names that there are, and gives others. Who makes loops keeps one from
// the first name on, and hands it to the passes behind (package passes); for a program that was read, FreshFor makes
// one.

// A Fresh gives a program variables and buffers of names that it does not have yet.
type Fresh struct {
	f    *Func
	used map[string]int // how often names were asked for
}

// FreshFor returns a source of names for a program, none of whose own it gives.
func FreshFor(f *Func) *Fresh {
	fresh := &Fresh{f: f, used: map[string]int{}}
	for v := range Variables(f) {
		fresh.Take(v.Name)
	}
	for _, b := range f.Buffers {
		fresh.Take(b.Name)
	}
	return fresh
}

// Take notes a name that is given already, or is to be.
func (n *Fresh) Take(name string) { n.used[name]++ }

// Name returns a name that nothing has yet: the one that is wanted, or that with a number.
func (n *Fresh) Name(wanted string) string {
	for {
		k := n.used[wanted]
		n.used[wanted]++
		if k == 0 {
			return wanted
		}
		if candidate := fmt.Sprintf("%s_%d", wanted, k); n.used[candidate] == 0 {
			n.used[candidate] = 1
			return candidate
		}
	}
}

// Var makes a variable.
func (n *Fresh) Var(name string, t Type) *Var { return &Var{Name: n.Name(name), Type: t} }

// CopyOf makes a variable that a copy of statements assigns instead of another one.
func (n *Fresh) CopyOf(v *Var) *Var { return n.Var(v.Name, v.Type) }

// Buffer makes a buffer of known length, and adds it to the program's. One of registers lies on the stack if it is too
// long for them.
func (n *Fresh) Buffer(name string, t Type, length int64, region Region) *Buffer {
	if region == Register && length > MostRegisters {
		region = Private
	}
	b := &Buffer{Name: n.Name(name), Type: t, Region: region, Length: length}
	n.f.Buffers = append(n.f.Buffers, b)
	return b
}

// Variables lists what a program assigns, each once.
func Variables(f *Func) map[*Var]bool {
	found := map[*Var]bool{}
	for _, p := range f.Params {
		if p.Var != nil {
			found[p.Var] = true
		}
	}
	Walk(f.Body, Visitor{Stmt: func(s Stmt) {
		switch s := s.(type) {
		case *For:
			if found[s.Var] = true; s.Next != nil {
				found[s.Next] = true
			}
		case *Let:
			found[s.Var] = true
		case *Shuffle:
			found[s.Var] = true
		case *Grid:
			for _, v := range s.Vars() {
				found[v] = true
			}
		}
	}})
	return found
}
