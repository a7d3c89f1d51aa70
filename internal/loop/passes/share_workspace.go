package passes

import "github.com/ricci-lang/ricci/internal/loop"

// How temporaries share memory
//
// Each temporary has bytes of its own at first, so that loops can be made from place to place. Which of them are never in
// use at once is seen at the end, when nothing moves any more: then they get the same bytes (loop.ShareWorkspace, which
// stands beside the check of lives in loop.Verify). Loops that read what nobody has written may compute something else then;
// none do that.

func shareWorkspace(p *pass) { loop.ShareWorkspace(p.f) }
