package mutate

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Drawing is the mutants of a seed, and the mutated copies of the files.
type Drawing struct {
	Mutants []Mutant
	Overlay string // the file for go's flag -overlay
}

// Draw draws so many mutants of each room, or takes those with some keys, and writes the mutated copies into a directory.
func Draw(root, directory string, rooms []Room, each int, seed uint64, keys map[string]bool) (*Drawing, error) {
	d := &Drawing{Overlay: filepath.Join(directory, "overlay.json")}
	replace := map[string]string{}
	for _, room := range rooms {
		r, err := load(root, room)
		if err != nil {
			return nil, err
		}
		var chosen []Mutant
		if len(keys) > 0 {
			list := withKeys(r.sources, keys)
			chosen, err = r.compilable(list, len(d.Mutants), len(list))
		} else {
			chosen, err = r.compilable(choose(r.sources, each, seed), len(d.Mutants), each)
		}
		if err != nil {
			return nil, err
		}
		for _, s := range r.sources {
			copied := filepath.Join(directory, "overlay", room.Package, filepath.Base(s.path))
			if err := write(copied, s.mutated(chosen)); err != nil {
				return nil, err
			}
			replace[s.path] = copied
		}
		d.Mutants = append(d.Mutants, chosen...)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return d, write(d.Overlay, string(text))
}

// choose draws mutants: first a place, each with the same probability, then what happens there.
// Some more than asked for, since some do not compile.
func choose(sources []*source, each int, seed uint64) []Mutant {
	var places [][]Mutant
	at := map[string]int{}
	for _, s := range sources {
		for _, m := range s.candidates {
			key := m.File + " " + strconv.Itoa(m.edit.from) + " " + strconv.Itoa(m.edit.to)
			if _, known := at[key]; !known {
				at[key] = len(places)
				places = append(places, nil)
			}
			places[at[key]] = append(places[at[key]], m)
		}
	}
	random := rand.New(rand.NewPCG(seed, 26))
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var chosen []Mutant
	for _, p := range places[:min(len(places), each+each/4+2)] {
		chosen = append(chosen, p[random.IntN(len(p))])
	}
	return chosen
}

// withKeys returns the mutants with some keys.
func withKeys(sources []*source, keys map[string]bool) (list []Mutant) {
	for _, s := range sources {
		for _, m := range s.candidates {
			if keys[m.Key()] {
				list = append(list, m)
			}
		}
	}
	return list
}

// compilable numbers the mutants behind those before, leaves out the ones that do not compile,
// and returns as many as are wanted.
func (r *reading) compilable(chosen []Mutant, before, each int) ([]Mutant, error) {
	for range 20 {
		for k := range chosen {
			chosen[k].Number = before + k + 1
		}
		wrong, err := r.errorLines(chosen)
		if err != nil {
			return nil, err
		}
		if len(wrong) == 0 {
			return chosen[:min(each, len(chosen))], nil
		}
		chosen = slices.DeleteFunc(chosen, func(m Mutant) bool { return m.touches(r.sources, wrong) })
	}
	return nil, fmt.Errorf("%s: the mutated copies do not compile", r.room.Name)
}

// touches reports whether the text that a mutant replaces has one of the lines.
func (m Mutant) touches(sources []*source, lines map[string]bool) bool {
	for _, s := range sources {
		if !strings.HasSuffix(s.path, "/"+m.File) {
			continue
		}
		last := m.Line + strings.Count(s.text[m.edit.from:m.edit.to], "\n")
		for line := m.Line; line <= last; line++ {
			if lines[s.path+":"+strconv.Itoa(line)] {
				return true
			}
		}
	}
	return false
}

// errorLines returns the lines of mutated copies, as path:line, that do not compile.
func (r *reading) errorLines(chosen []Mutant) (map[string]bool, error) {
	fset, wrong := token.NewFileSet(), map[string]bool{}
	var files []*ast.File
	for _, s := range r.sources {
		f, err := parser.ParseFile(fset, s.path, s.mutated(chosen), parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: r, GoVersion: r.own.Module.GoVersion, Sizes: r.own.TypesSizes, Error: func(err error) {
		at := fset.Position(err.(types.Error).Pos)
		wrong[at.Filename+":"+strconv.Itoa(at.Line)] = true
	}}
	config.Check(r.own.PkgPath, fset, files, nil) // its error is the first of those above
	return wrong, nil
}

// Import returns what the room was compiled with.
func (r *reading) Import(path string) (*types.Package, error) {
	if path == helperPath {
		return r.helper, nil
	}
	if p := r.own.Imports[path]; p != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not imported", path)
}

// mutated returns the text of a file with its mutants side by side.
func (s *source) mutated(chosen []Mutant) string {
	var edits []edit
	for _, m := range chosen {
		if strings.HasSuffix(s.path, "/"+m.File) {
			e := m.edit
			e.pattern = strings.ReplaceAll(e.pattern, "@", strconv.Itoa(m.Number))
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return s.text
	}
	text := render(s.text, edits)
	// On the line of the package clause, so that all lines keep their numbers.
	return text[:s.clause] + fmt.Sprintf("; import %s %q", helperName, helperPath) + text[s.clause:]
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
