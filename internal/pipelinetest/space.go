package pipelinetest

import (
	"errors"
	"math/rand/v2"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mapping"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/space"
)

// PreparePoint takes the steps before the printer, with a schedule that a tuner would try: a
// random point of the space of MDH parameters, or of mapping options. Where its schedule is
// illegal the default one stays, and tried is false.
func (c *Case) PreparePoint(from *Choices) (tried bool, err error) {
	if err := c.start(false); err != nil {
		return false, err
	}
	tree, err := c.point(from)
	var list source.ErrorList
	switch {
	case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
	case err != nil:
		return false, err
	case schedule.Check(c.Special, tree) == nil:
		c.Tree, tried = tree, true
	}
	return tried, c.lower()
}

func (c *Case) point(from *Choices) (*schedule.Tree, error) {
	random := rand.New(rand.NewPCG(uint64(from.Below(1<<30)), 3))
	options := mdh.SpaceOptions{AllCores: from.OneIn(2), PartialLayers: from.OneIn(2)}
	if from.OneIn(4) {
		s := mapping.NewSpace(c.Special, c.Machine, mapping.Options{})
		points, err := space.New(s.Groups...)
		if err != nil {
			return nil, err
		}
		return s.Tree(points.Random(random))
	}
	s, err := mdh.NewSpace(c.Special, c.Machine, options)
	if err != nil {
		return nil, err
	}
	points, err := space.New(s.Groups...)
	if err != nil {
		return nil, err
	}
	return s.Tree(points.Random(random))
}
