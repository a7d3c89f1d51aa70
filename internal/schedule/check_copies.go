package schedule

// MostCopies is how many copies of a statement loops that are written out may make together: a
// compiler is busy without end with very many.
const MostCopies = 1 << 12

// MostLanes is how many points a vector loop may compute at once, which are several of the
// processor's vectors: a compiler takes seconds for this many, and a minute for 16 times as many.
const MostLanes = 1 << 10

// writtenOut counts the copies that a loop which is written out makes, beside those further up.
func (c *checker) writtenOut(b *Band, m *Member, st *state) {
	if !m.Unroll {
		return
	}
	l := m.Loops[0]
	n, known := c.frames.Of(l.Statement, c.index(place{l.Statement, l.Index})).Extent.IsConst()
	if left := st.left[place{l.Statement, l.Index}]; left != whole && (!known || left < n) {
		n, known = left, true
	}
	if !known {
		return // it stays a loop
	}
	step := max(m.Tile, int64(m.Vector), 1)
	st.copies = MultiplySizes(max(st.copies, 1), max(1, (n+step-1)/step))
	if st.copies > MostCopies {
		c.misfit(on(b, m, "unroll"), "with %s there would be %d copies of %s, and at most %d are written out; leave a loop, or cut it into blocks", c.words.Loop(m), st.copies, c.statements(st.active), MostCopies)
	}
}
