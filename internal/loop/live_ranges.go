package loop

// How temporaries share memory
//
// The statements of Func.Body run one after the other, so that a buffer is in use from the first to the last
// one in which it occurs. Buffers that are never in use at once may have the same bytes: ten steps
// of a stencil take the memory of two, and stay in the caches. The verifier checks it, and the
// evaluator has one workspace as kernels do.

import (
	"cmp"
	"slices"
)

// A LiveRange is from the first to the last statement of Func.Body in which a buffer occurs.
type LiveRange struct{ First, Last int }

// overlaps reports whether two buffers are in use at once.
func (a LiveRange) overlaps(b LiveRange) bool { return a.First <= b.Last && b.First <= a.Last }

// LiveRanges returns the lives of the buffers that a function uses. A Notice, which the caller clears and reads, and what
// is Kept from call to call live always.
func LiveRanges(f *Func) map[*Buffer]LiveRange {
	lives := map[*Buffer]LiveRange{}
	for n := range f.Body {
		use := func(b *Buffer) {
			life, known := lives[b]
			if !known {
				life.First = n
			}
			life.Last = n
			lives[b] = life
		}
		Walk(f.Body[n:n+1], Visitor{
			Stmt: func(s Stmt) {
				for _, b := range StmtBuffers(s) {
					use(b)
				}
			},
			Expr: func(e Expr) {
				if b := ExprBuffer(e); b != nil {
					use(b)
				}
			},
		})
	}
	always := LiveRange{0, len(f.Body)}
	for _, n := range f.Notices {
		lives[n.Buffer] = always
	}
	for _, b := range f.Buffers {
		if b.Kept {
			lives[b] = always
		}
	}
	return lives
}

// workspaceAlignment is that of buffers in the workspace, in bytes.
const workspaceAlignment = 64

// Bytes returns the size of a buffer whose length is known.
func (b *Buffer) Bytes() int64 { return b.Length * int64(b.Type.Lanes*b.Type.Elem.Size()) }

// hasPlace reports whether a buffer lies at a place of the workspace that is known, with its size.
func (b *Buffer) hasPlace() bool {
	return b.Region == Workspace && b.OffsetExpr == nil && b.LengthExpr == nil
}

// OwnHead is how many bytes are in front of the buffers that a thread has for itself.
const OwnHead = workspaceAlignment

// ShareWorkspace gives buffers of known sizes new places in the workspace, which those share that are
// never in use at once: each gets the lowest that is free during its life. Those of a thread lie behind the ones
// around them.
func ShareWorkspace(f *Func) {
	lives := LiveRanges(f)
	list := slices.DeleteFunc(slices.Clone(f.Buffers), func(b *Buffer) bool { return !b.hasPlace() })
	slices.SortStableFunc(list, func(a, b *Buffer) int { return lives[a].First - lives[b].First })
	f.Workspace = 0
	for n, b := range list {
		b.Offset = lowestPlace(b, slices.DeleteFunc(slices.Clone(list[:n]), func(other *Buffer) bool {
			return !lives[b].overlaps(lives[other])
		}))
		f.Workspace = max(f.Workspace, b.end())
	}
	for _, b := range f.Buffers {
		if b.Region == Thread {
			b.Offset = 0
		}
	}
	for moved := true; moved; { // a buffer that is made at several places lies behind all that is around one
		f.Own, moved = stack(f.Body, OwnHead)
	}
	if f.Own == OwnHead {
		f.Own = 0
	}
}

// end is where a buffer ends, and another one may begin.
func (b *Buffer) end() int64 {
	return (b.Offset + b.Bytes() + workspaceAlignment - 1) / workspaceAlignment * workspaceAlignment
}

// stack moves the buffers that threads have for themselves up to where those around them end. It returns where the
// last one ends.
func stack(body []Stmt, from int64) (end int64, moved bool) {
	end = from
	for _, s := range body {
		inside := from
		if a, ok := s.(*Alloc); ok && a.Buffer.Region == Thread {
			moved = moved || a.Buffer.Offset < from
			a.Buffer.Offset = max(a.Buffer.Offset, from)
			inside = a.Buffer.end()
		}
		end = max(end, inside)
		for _, inner := range StmtBodies(s) {
			last, again := stack(inner, inside)
			end, moved = max(end, last), moved || again
		}
	}
	return end, moved
}

// lowestPlace returns the lowest place for a buffer beside others.
func lowestPlace(b *Buffer, others []*Buffer) int64 {
	slices.SortFunc(others, func(x, y *Buffer) int { return cmp.Compare(x.Offset, y.Offset) })
	at := int64(0)
	for _, other := range others {
		if at+b.Bytes() <= other.Offset {
			break
		}
		at = max(at, other.end())
	}
	return at
}
