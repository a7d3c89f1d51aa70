package serve

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci"
)

// mostPrograms are kept between requests, with the kernels that they have run, and the devices of these.
const mostPrograms = 32

// programs are those of the last requests: a call that comes again finds its kernel where it was.
type programs struct {
	mutex sync.Mutex
	clock int64
	kept  map[string]*keptProgram // by what requests say of them
}

type keptProgram struct {
	*ricci.Program
	users   int
	last    int64 // the clock at the last use
	dropped bool  // it is kept for its users alone
}

// use gives a program of a request, which is kept where all of it stands in the request, and what gives it back.
func (s *programs) use(p *programText) (*ricci.Program, func(), error) {
	if p == nil || p.Text == nil || strings.Contains(*p.Text, "import") {
		program, err := p.parse()
		if err != nil {
			return nil, func() {}, err
		}
		return program, func() { _ = program.Close() }, nil
	}
	key, err := json.Marshal(p)
	if err != nil {
		return nil, func() {}, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	k := s.kept[string(key)]
	if k == nil {
		program, err := p.parse() // quick: others may wait
		if err != nil {
			return nil, func() {}, err
		}
		if s.kept == nil {
			s.kept = map[string]*keptProgram{}
		}
		s.makeRoom()
		k = &keptProgram{Program: program}
		s.kept[string(key)] = k
	}
	s.clock++
	k.users, k.last = k.users+1, s.clock
	return k.Program, func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if k.users--; k.users == 0 && k.dropped {
			_ = k.Close()
		}
	}, nil
}

// drop keeps a program no longer: its kernels have schedules that were the best ones.
func (s *programs) drop(p *programText) {
	key, err := json.Marshal(p)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	k := s.kept[string(key)]
	if err != nil || k == nil {
		return
	}
	delete(s.kept, string(key))
	if k.dropped = true; k.users == 0 {
		_ = k.Close()
	}
}

// makeRoom gives up the program that nobody has used for longest, if there are many.
func (s *programs) makeRoom() {
	if len(s.kept) < mostPrograms {
		return
	}
	oldest := ""
	for key, k := range s.kept {
		if k.users == 0 && (oldest == "" || k.last < s.kept[oldest].last) {
			oldest = key
		}
	}
	if oldest != "" {
		_ = s.kept[oldest].Close()
		delete(s.kept, oldest)
	}
}

// close gives up those that nobody uses.
func (s *programs) close() (err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, k := range s.kept {
		if k.dropped = true; k.users == 0 {
			err = errors.Join(err, k.Close())
		}
	}
	s.kept = nil
	return err
}
