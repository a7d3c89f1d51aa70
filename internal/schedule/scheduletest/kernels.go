package scheduletest

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
)

//go:embed kernels.txtar
var kernelsText []byte

// foundText has pairs of which sweeps have found that they were wrong once.
//
//go:embed found.txtar
var foundText []byte

// Kernels are pairs that have what kernels of devices have, of which mutants are made: functions of numbers that are exact, and trees
// with every mark of grids. In the archive stand a function, its tree, and so on.
func Kernels() (list []Pair, err error) { return written(kernelsText) }

// Found are pairs of which sweeps have found that they were wrong once, as small as they may be.
func Found() (list []Pair, err error) { return written(foundText) }

func written(text []byte) (list []Pair, err error) {
	archive := txtar.Parse(text)
	for k := 0; k+1 < len(archive.Files); k += 2 {
		p := Pair{Program: strings.TrimSuffix(archive.Files[k].Name, ".ein"), How: "written"}
		if p.F, err = ein.ParseFunc(p.Program, string(archive.Files[k].Data)); err != nil {
			return nil, err
		}
		p.G, p.Sizes = p.F, map[string]int64{}
		if p.Args, err = eintest.Arguments(3, p.F, nil); err != nil {
			return nil, err
		}
		if p.Tree, err = schedule.Parse(string(archive.Files[k+1].Data)); err == nil {
			err = schedule.Check(p.G, p.Tree)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Program, err)
		}
		list = append(list, p)
	}
	return list, nil
}
