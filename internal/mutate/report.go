package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// excuses is the file, below the root, with the survivors that were looked at: the key of a
// mutant, and on the next line, indented, why nothing notices it.
const excuses = "internal/mutate/survivors.txt"

// Report says how many mutants were noticed, and lists those that were not. It fails where
// fewer than a part of those that make a difference, and have no excuse, were.
func (s *Session) Report(least float64) error {
	known, err := readExcuses(filepath.Join(s.Root, excuses))
	if err != nil {
		return err
	}
	s.Say("\n%-10s %8s %8s %8s %8s %8s %8s", "room", "mutants", "noticed", "the same", "not met", "excused", "survive")
	var total tally
	for _, room := range s.Rooms {
		var t tally
		for _, m := range s.Mutants {
			if v, judged := s.Verdicts[m.Number]; judged && m.Room == room.Name {
				t.add(v, known[m.Key()] != "", len(s.court.print.cases[m.Number]) > 0)
			}
		}
		s.Say("%-10s %s", room.Name, t)
		total.noticed += t.noticed
		total.same += t.same
		total.unmet += t.unmet
		total.excused += t.excused
		total.survive += t.survive
	}
	s.Say("%-10s %s", "all", total)
	if share := total.share(); share < least {
		return fmt.Errorf("%.1f %% of the mutants that make a difference were noticed, expected %.0f %%; look at those that survive: add a test, or a reason in %s",
			100*share, 100*least, excuses)
	}
	return nil
}

// A tally counts verdicts. What no test and nothing of the corpus meets is code for what
// nobody tries; it is looked at, too, but nothing is known of whether it makes a difference.
type tally struct{ noticed, same, unmet, excused, survive int }

func (t *tally) add(v Verdict, excused, met bool) {
	switch {
	case v.Noticed:
		t.noticed++
	case excused:
		t.excused++
	case v.Differs != "":
		t.survive++
	case v.Meet == 0 && !met:
		t.unmet++
	default:
		t.same++
	}
}

// share is the part of the mutants that make a difference, and have no excuse, that is noticed.
func (t tally) share() float64 {
	if t.noticed+t.survive == 0 {
		return 1
	}
	return float64(t.noticed) / float64(t.noticed+t.survive)
}

func (t tally) String() string {
	return fmt.Sprintf("%8d %8d %8d %8d %8d %8d   %.1f %%", t.noticed+t.same+t.unmet+t.excused+t.survive, t.noticed, t.same, t.unmet, t.excused, t.survive, 100*t.share())
}

func readExcuses(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known, key := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		reason, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "#"):
		case indented:
			known[key] = strings.TrimSpace(known[key] + " " + strings.TrimSpace(reason))
		default:
			key = strings.TrimSpace(line)
		}
	}
	return known, nil
}

// ReadKeys returns the keys of a file in the form of survivors.txt, those in comments, too.
func ReadKeys(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "    ") {
			key, _, _ := strings.Cut(strings.Trim(line, "# \n"), " (differs: ")
			keys[key] = true
		}
	}
	return keys, nil
}
