// Package plan describes compiled kernels as data: everything but the code that a host needs to call one, in whatever
// language it is written.
package plan

import "github.com/ricci-lang/ricci/internal/affine"

// How it works
//
// Compiling gives a module of code (package target) and a Plan. The plan says what the arguments are, how the sizes follow
// from them and what must hold of these, how much memory a call needs besides, which functions of the code are to be launched
// with what, and what their faults and notices mean. It is plain data: it is stored with the code in the kernel cache, and
// `ricci show --stage plan` prints it as JSON, which docs/devices.md describes.
//
// All expressions are texts over the names of sizes, in the syntax of package affine: + - * with floor division, mod, min and
// max. Names are those of the program.

// Version is that of the form. It changes when a host that reads plans has to.
const Version = 1

// The values of Plan.Schedule.
const (
	DefaultSchedule = "default" // chosen by Ricci without measuring
	GivenSchedule   = "given"   // by the caller, or by the program
	TunedSchedule   = "tuned"   // found by tuning, on this machine
	PlainSchedule   = "plain"   // tiles for each statement, or the order of the program, for want of a better one
)

// A Plan is what a host needs to know of a kernel.
type Plan struct {
	Version int    `json:"version"`
	Name    string `json:"name"`   // of the def
	Target  string `json:"target"` // of the code
	// Schedule says where the order of the computation is from: default, given, tuned or plain.
	Schedule string `json:"schedule"`
	// Shortened says that factors of float32 are rounded to 11 binary digits (tf32), as the mode fast allows.
	Shortened bool       `json:"shortened,omitempty"`
	Arguments []Argument `json:"arguments"` // in the order of a call
	Sizes     []Size     `json:"sizes"`
	// Conditions are tested before a call; the code rests on them.
	Conditions []Condition `json:"conditions,omitempty"`
	Workspace  Workspace   `json:"workspace"`
	Launches   []Launch    `json:"launches"` // one after the other
	// Host is the text of a program of loops, whose grids are the launches by number: where loops and conditions around them
	// say which are run how often. Launches take what is in scope there behind their words.
	Host    string   `json:"host,omitempty"`
	Faults  []Fault  `json:"faults,omitempty"`  // by number
	Notices []Notice `json:"notices,omitempty"` // looked at after a call
}

// An Argument is a tensor that the caller gives.
type Argument struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Role  string   `json:"role"`  // in, out or inout
	Shape []string `json:"shape"` // size expressions; empty for a scalar
	// Strides are in elements; none for dense, row-major arrays.
	Strides []int64 `json:"strides,omitempty"`
}

// A Size is a number that shapes are made of.
type Size struct {
	Name string `json:"name"`
	// Value is compiled in; nil where it is a variable of the code.
	Value *int64 `json:"value,omitempty"`
	// Argument and Dim say where a caller finds the value: the extent of a dimension, or, where Dim is -1, the value of
	// a scalar. Without an argument it is given by name.
	Argument string `json:"argument,omitempty"`
	Dim      int    `json:"dim,omitempty"`
}

// A Condition holds where Expr is at least 0.
type Condition struct {
	Expr    string `json:"expr"`
	Message string `json:"message"`
	Code    string `json:"code"` // of the diagnostic
}

// A Workspace is memory for temporaries, 64-byte aligned, whose contents are undefined before the first call. What one
// call leaves there the next may find, where words say that an argument is packed.
type Workspace struct {
	Bytes int64 `json:"bytes"`
	// Dynamic replaces Bytes where the number depends on sizes.
	Dynamic string `json:"dynamic,omitempty"`
	Thread  int64  `json:"thread,omitempty"` // bytes for each thread, behind the others
}

// Size is the number of bytes of a call with some sizes on some threads.
func (w *Workspace) Size(sizes map[string]int64, threads int64) (int64, error) {
	if w.Dynamic == "" {
		return w.Bytes + threads*w.Thread, nil
	}
	e, err := affine.Parse(w.Dynamic)
	if err != nil {
		return 0, err
	}
	bytes, err := e.Eval(sizes)
	return bytes + threads*w.Thread, err
}

// A Launch runs a function of the code.
type Launch struct {
	Symbol string `json:"symbol"`
	// Grid and Group are the numbers of groups and of items in a group, up to three dimensions each, of which the last runs
	// fastest, as size expressions (in the names of Host, where that is). Without them the function is called once, and spreads its work itself.
	Grid  []string `json:"grid,omitempty"`
	Group []string `json:"group,omitempty"`
	Local string   `json:"local,omitempty"` // bytes of local memory of a group, a size expression
	// Dynamic is as many bytes where code of CUDA declares none of them, as there are too many: the launch gives them.
	Dynamic int64  `json:"dynamic,omitempty"`
	Words   []Word `json:"words"` // the arguments of the function
}

// A Word is 64 bits; one of the names is set.
type Word struct {
	Tensor string `json:"tensor,omitempty"` // the address of an argument's first element
	Size   string `json:"size,omitempty"`   // the value of a size
	// Packed is a constant argument: 1 where the workspace has its packed form from an earlier call, else 0.
	Packed string `json:"packed,omitempty"`
}

// A Span is a place in the files of the program, which are counted; -1 is no file.
type Span struct {
	File  int `json:"file"`
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Fault is a place that tests a subscript while running. The code reports the number of the fault from 1 on, and the subscript.
type Fault struct {
	Span
	Tensor string `json:"tensor"`
	Dim    int    `json:"dim"`
	// Lo and Hi bound the subscript, [Lo, Hi), where Tensor is no tensor of the program; Hi is 0 where they are not known.
	Lo      int64  `json:"lo"`
	Hi      int64  `json:"hi"`
	Message string `json:"message"` // with %d for the subscript
}

// A Notice is an int32 in the workspace, cleared before a call; after it, more than 0 is to be told.
type Notice struct {
	Span
	Offset  int64  `json:"offset"` // in bytes of the workspace
	Message string `json:"message"`
}
