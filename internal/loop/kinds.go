package loop

import (
	"reflect"
	"slices"
	"strings"
)

// A Kind names what a program can be made of: a kind of node, such as "for" or "prefetch", or Vectors. Targets say by
// them what they can express.
type Kind string

// Vectors is the kind of values of several lanes.
const Vectors Kind = "vectors"

// nodes has one of each kind of statement and expression.
var nodes = []any{
	&For{}, &While{}, &If{}, &Let{}, &Alloc{}, &Store{}, &EndRow{}, &Prefetch{}, &Transpose{}, &Multiply{}, &Check{}, &Comment{}, &Turn{}, &Grid{}, &Barrier{}, &Shuffle{}, &Fragments{}, &Copy{}, &Commit{}, &Wait{}, &Atomic{},
	&Const{}, &VarRef{}, &Load{}, &Unary{}, &Binary{}, &MulAdd{}, &Dot{}, &Distances{}, &Call{}, &Select{}, &Cast{}, &Broadcast{},
	&Ramp{}, &Fold{}, &Lead{}, &Shift{}, &Lane{}, &Hold{}, &Swizzle{},
}

// Kinds lists all kinds.
func Kinds() []Kind {
	list := []Kind{Vectors}
	for _, n := range nodes {
		list = append(list, kindOf(n))
	}
	return list
}

// kindOf is the name of a node's type in small letters.
func kindOf(node any) Kind { return Kind(strings.ToLower(reflect.TypeOf(node).Elem().Name())) }

// KindsOf lists what a program is made of, each kind once, in the order in which they are met.
func KindsOf(f *Func) (list []Kind) {
	note := func(k Kind) {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	Walk(f.Body, Visitor{Stmt: func(s Stmt) { note(kindOf(s)) }, Expr: func(e Expr) {
		if note(kindOf(e)); e.Type().Lanes > 1 {
			note(Vectors)
		}
	}})
	return list
}
