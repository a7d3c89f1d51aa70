package items

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// A Copies has the words of a language for copies that run ahead (loop/copy.go): statements over $bytes, $to and $from, the addresses; over nothing; and over $n.
type Copies struct{ Start, Commit, Wait string }

// copied starts a copy. Where the language has no word for it the item loads and stores: a copy may arrive at once. The copies of groups that
// OpenCL has (async_work_group_copy) are no such word: all items of a group meet at one for the whole block, in rows without an end, and wait
// for events that no number tells.
func (k *kernel) copied(s *loop.Copy) {
	word := k.unit.dialect.Copies.Start
	if word == "" {
		k.store(&loop.Store{Buffer: s.To, Index: s.At, Value: &loop.Load{Buffer: s.From, Index: s.Index, Lanes: s.Lanes}})
		return
	}
	place := func(b *loop.Buffer, at loop.Expr) string { return fmt.Sprintf("&%s[%s]", k.bufferName(b), k.text(at)) }
	bytes := s.Lanes * s.To.Type.Elem.Size()
	k.line("%s", strings.NewReplacer("$bytes", fmt.Sprint(bytes), "$to", place(s.To, s.At), "$from", place(s.From, s.Index)).Replace(word))
}

// waits prints a Commit or a Wait, of which nothing is left where copies arrive at once.
func (k *kernel) waits(s loop.Stmt) {
	text := k.unit.dialect.Copies.Commit
	if w, ok := s.(*loop.Wait); ok {
		text = strings.ReplaceAll(k.unit.dialect.Copies.Wait, "$n", fmt.Sprint(w.Batches))
	}
	if text != "" {
		k.line("%s", text)
	}
}
