package machine

import (
	"embed"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// models holds the machines that are described beforehand: those of the paper's Example 11, whose names of layers
// and regions are those of its Figures 17 and 20 to 23, and processors.
//
//go:embed models/*.machine
var models embed.FS

// extension is that of files with machines.
const extension = ".machine"

// Names lists the machines that are described beforehand.
func Names() []string {
	entries, err := models.ReadDir("models")
	if err != nil {
		return nil // the directory is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// Named returns the machine of that name, or nil.
func Named(name string) *Machine {
	if !slices.Contains(Names(), name) {
		return nil
	}
	text, err := models.ReadFile("models/" + name + extension)
	if err != nil {
		return nil
	}
	m, err := ParseMachine(source.NewFile(name+extension, string(text)))
	if err != nil {
		return nil // TestModels reads all of them
	}
	return m
}

// Models lists the machines of the paper: all whose programs are no schedule trees.
func Models() []*Machine {
	var list []*Machine
	for _, name := range Names() {
		if m := Named(name); m != nil && !m.Trees {
			list = append(list, m)
		}
	}
	return list
}

// Layers that are described by code.

func memory(name, region string) Layer { return Layer{Name: name, Region: region} }

func copied(name, region, privateTo string, bytes int64) Layer {
	return Layer{Name: name, Region: region, Copied: true, PrivateTo: privateTo, Bytes: bytes}
}

func core(name string) Layer { return Layer{Name: name, Core: true} }

func combine(layer, reason string, regions ...string) Constraint {
	return Constraint{Kind: CombineIn, Parameter: "R3", Layers: []string{layer}, Regions: regions, Reason: reason}
}
