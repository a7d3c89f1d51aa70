package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// Worlds: programs of strands that run from request to request.

// mostWorlds are open in a session at a time.
const mostWorlds = 256

// A world is a run of strands, with what it prints.
type world struct {
	*ricci.World
	printed bytes.Buffer // written while the world is in a request, which is locked by working
	working sync.Mutex
}

// worlds are those of a session, by their numbers.
type worlds struct {
	mutex sync.Mutex
	last  int64
	open  map[int64]*world
}

// strandsReport says of a program of strands what a world of it takes and leaves.
type strandsReport struct {
	Name         string                    `json:"name"`
	Inputs       []strandInput             `json:"inputs"`
	Outputs      []string                  `json:"outputs"`
	Manner       ricci.StrandManner        `json:"manner"`
	Declarations []ricci.StrandDeclaration `json:"declarations"`
}

type strandInput struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Doc      string `json:"doc,omitempty"`
	Required bool   `json:"required"`
	Image    bool   `json:"image"`
}

func strandsOf(p *ricci.Program) *strandsReport {
	s := p.Strands()
	if s == nil {
		return nil
	}
	r := &strandsReport{Name: s.Name(), Inputs: []strandInput{}, Outputs: s.Outputs(), Manner: s.Manner(), Declarations: s.Declarations()}
	for _, i := range s.Inputs() {
		r.Inputs = append(r.Inputs, strandInput{i.Name, i.Type, i.Doc, i.Required, i.Image})
	}
	return r
}

// A worldInput is an array, an image, which may say where its samples are, or a text.
type worldInput struct {
	array
	Directions [][]float64 `json:"directions"` // for each spatial axis, the fastest one first
	Origin     []float64   `json:"origin"`
	Text       *string     `json:"text"`
}

// give adds an input.
func (w *worldInput) give(d ricci.StrandInput, to *ricci.WorldInputs) error {
	switch {
	case w.Text != nil:
		to.Texts[d.Name] = *w.Text
		return nil
	case w.Path != "" && w.Shape == nil:
		m, err := tensor.OpenImage(w.Path)
		if err != nil {
			return err
		}
		put(d, m, to)
		return nil
	}
	t, err := w.read(d.Name, tensor.Float64)
	if err != nil {
		return err
	}
	m := tensor.NewImage(t)
	if w.Directions != nil || w.Origin != nil {
		if m, err = placed(d.Name, t, w.Directions, w.Origin); err != nil {
			return err
		}
	}
	put(d, m, to)
	return nil
}

func put(d ricci.StrandInput, m *tensor.Image, to *ricci.WorldInputs) {
	if d.Image {
		to.Images[d.Name] = m
	} else {
		to.Values[d.Name] = m.Tensor
	}
}

// placed is an image whose slowest axes are spatial, as many as there are directions.
func placed(name string, t *tensor.Tensor, directions [][]float64, origin []float64) (*tensor.Image, error) {
	rank := len(t.Shape())
	if len(directions) == 0 || len(directions) > rank {
		return nil, refusef("inputs: %s has %d axes and %d directions; there is one for each spatial axis", name, rank, len(directions))
	}
	for _, step := range directions {
		if len(step) != len(origin) || len(origin) < len(directions) {
			return nil, refusef("inputs: the directions and the origin of %s are of one world, which has at least as many dimensions as the image", name)
		}
	}
	m := &tensor.Image{Tensor: t, Directions: directions, Origin: origin, Axes: make([]tensor.Axis, rank)}
	for n := rank - len(directions); n < rank; n++ {
		m.Axes[n].Spatial = true
	}
	return m, nil
}

// worldState says where a world is, and what it has printed since the last request.
type worldState struct {
	World   int64  `json:"world"`
	Steps   int    `json:"steps"`
	Active  int    `json:"active"`
	Stable  int    `json:"stable"`
	Printed string `json:"printed"`
	said
}

func (w *world) state(j *job, number int64) worldState {
	count := w.Count()
	printed := ""
	if j.ctx.Err() == nil { // else nobody may hear of it: the next answer has it
		printed = w.printed.String()
		w.printed.Reset()
	}
	return worldState{number, count.Steps, count.Active, count.Stable, printed, j.said()}
}

// newWorld makes a world.
func newWorld(j *job, p *struct {
	Program    *programText           `json:"program"`
	Inputs     map[string]*worldInput `json:"inputs"`
	SuperSteps bool                   `json:"super_steps"`
	Options    options                `json:"options"`
}) (any, error) {
	program, err := j.program(p.Program)
	if err != nil {
		return nil, err
	}
	s := program.Strands()
	if s == nil {
		return nil, refusef("the program has no strands")
	}
	options, err := p.Options.compiling(j)
	if err != nil {
		return nil, err
	}
	inputs := ricci.WorldInputs{Values: map[string]*tensor.Tensor{}, Texts: map[string]string{}, Images: map[string]*tensor.Image{}}
	declared := map[string]ricci.StrandInput{}
	for _, d := range s.Inputs() {
		declared[d.Name] = d
	}
	for name, given := range p.Inputs {
		d, is := declared[name]
		if !is {
			d = ricci.StrandInput{Name: name} // which the world refuses, and says what there is
		}
		if given == nil {
			return nil, refusef("inputs: %s has no value", name)
		}
		if err := given.give(d, &inputs); err != nil {
			return nil, err
		}
	}
	w := &world{}
	w.World, err = s.World(j.ctx, inputs, ricci.WorldOptions{SuperSteps: p.SuperSteps, Print: &w.printed, Options: options})
	if err != nil {
		return nil, err
	}
	number, err := j.worlds.add(w)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w.state(j, number), nil
}

// worldNumber is the world that a request is about.
type worldNumber struct {
	World int64 `json:"world"`
}

// advance runs super-steps: so many, or until no strand is active.
func advance(j *job, p *struct {
	worldNumber
	Steps int `json:"steps"`
}) (any, error) {
	if p.Steps < 0 {
		return nil, refusef("params: steps is %d, expected at least 0, which is all", p.Steps)
	}
	return j.worlds.in(p.World, func(w *world) (any, error) {
		limit := 0
		if p.Steps > 0 {
			limit = w.Count().Steps + p.Steps
		}
		if _, err := w.Run(j.ctx, limit); err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
		return w.state(j, p.World), nil // also of one that was interrupted, between two steps
	})
}

// worldOutputs gives the results of a world, or the states that its strands have now.
func worldOutputs(j *job, p *struct {
	worldNumber
	States  bool             `json:"states"`
	Outputs map[string]array `json:"outputs"`
}) (any, error) {
	return j.worlds.in(p.World, func(w *world) (any, error) {
		of := w.Outputs
		if p.States {
			of = w.Snapshot
		}
		all, err := of()
		if err != nil {
			return nil, err
		}
		made := map[string]array{}
		for name, m := range all {
			if made[name], err = write(m.Tensor, p.Outputs[name]); err != nil {
				return nil, err
			}
		}
		return struct {
			Outputs map[string]array `json:"outputs"`
			worldState
		}{made, w.state(j, p.World)}, nil
	})
}

// closeWorld closes a world.
func closeWorld(j *job, p *worldNumber) (any, error) {
	return j.worlds.in(p.World, func(w *world) (any, error) {
		state := w.state(j, p.World)
		j.worlds.drop(p.World)
		return state, w.Close()
	})
}

func (s *worlds) add(w *world) (int64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.open) >= mostWorlds {
		return 0, refusef("%d worlds are open, and no more are made; close some", mostWorlds)
	}
	if s.open == nil {
		s.open = map[int64]*world{}
	}
	s.last++
	s.open[s.last] = w
	return s.last, nil
}

// count is how many worlds are open.
func (s *worlds) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.open)
}

// in works on a world, one request after the other.
func (s *worlds) in(number int64, f func(w *world) (any, error)) (any, error) {
	s.mutex.Lock()
	w := s.open[number]
	s.mutex.Unlock()
	if w == nil {
		return nil, refusef("there is no world %d", number)
	}
	w.working.Lock()
	defer w.working.Unlock()
	return f(w)
}

func (s *worlds) drop(number int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.open, number)
}

// close ends all worlds, at the end of the session.
func (s *worlds) close() (err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for number, w := range s.open {
		if e := w.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("world %d: %w", number, e))
		}
	}
	return err
}
