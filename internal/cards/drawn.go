package cards

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// A kind of programs that are drawn.
type kind struct {
	name string
	draw func(looptest.Source, string) *loop.Func
}

var kinds = []kind{{"loops", looptest.WithWhile}, {"grids", looptest.Grids}}

// What a unit of drawn programs does at most, in programs and in time.
const (
	mostDrawn  = 60
	drawnTime  = 12 * time.Second
	drawnSeeds = 1000 // of a unit
)

// drawn compares programs of a kind with the evaluator, bit for bit.
func drawn(ctx context.Context, p *place, k kind, unit int) (r Result, err error) {
	d, err := p.open(ctx, true)
	if err != nil {
		return r, err
	}
	made, _ := targets.Named(d.Driver().Target)
	for n, start := 0, time.Now(); n < mostDrawn && time.Since(start) < drawnTime; n++ {
		source := rand.New(rand.NewPCG(uint64(unit*drawnSeeds+n), 11))
		f := k.draw(source, fmt.Sprintf("%s%d", k.name, n))
		if devicetest.Lacks(made, f) {
			r.Refused++
			continue
		}
		m, err := made.Print(f, target.Options{Numerics: numerics.Strict})
		if err != nil {
			return r, fmt.Errorf("%w\n%s", err, loop.Print(f))
		}
		if err := devicetest.Compare(ctx, d, f, m, looptest.Arguments(source, f)); err != nil {
			return r, fmt.Errorf("seed %d, 11: %w\n%s\n%s", unit*drawnSeeds+n, err, loop.Print(f), m.Code)
		}
		r.Compared++
	}
	return r, nil
}
