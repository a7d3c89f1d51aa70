package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// Image is an output with the kinds of its axes.
func Image(o *strand.Output) *tensor.Image {
	m := tensor.NewImage(o.Data)
	for n, kind := range slices.Backward(o.Kinds) {
		axis := &m.Axes[len(o.Kinds)-1-n]
		axis.Kind, axis.Spatial = kind, kind == "space"
	}
	return m
}

// Images are outputs as files have them, nil for one that is not written: where no strand has an element
// of a sequence, the original writes the lengths alone, without kinds.
func Images(outputs []*strand.Output) []*tensor.Image {
	list := make([]*tensor.Image, len(outputs))
	for k, o := range outputs {
		switch next := k + 1; {
		case IsEmpty(o):
		case next < len(outputs) && IsEmpty(outputs[next]) && strings.HasSuffix(o.Name, "-len") && strings.HasSuffix(outputs[next].Name, "-data"):
			list[k] = tensor.NewImage(o.Data)
		default:
			list[k] = Image(o)
		}
	}
	return list
}

// IsEmpty reports whether an output has no elements, which no file of images can say.
func IsEmpty(o *strand.Output) bool { return o.Data.Len() == 0 }

// A Place is where the files of an output, or of a snapshot of it, are written.
type Place struct {
	// Stem and Extension make the path of a file. Without an extension it is an NRRD file of just that name, and
	// what is made of the name has .nrrd.
	Stem, Extension string
}

// PlaceOf reads the path of a file, whose extension may be one of tensors.
func PlaceOf(path string) Place {
	extension := filepath.Ext(path)
	if extension == "" || !slices.Contains(tensor.Extensions(), strings.ToLower(extension)) {
		return Place{path, ""}
	}
	return Place{strings.TrimSuffix(path, extension), extension}
}

// Part is the place of one of the files of a sequence: PREFIX-len and PREFIX-data.
func (p Place) Part(name string) Place {
	return Place{p.Stem + "-" + name, cmp.Or(p.Extension, ".nrrd")}
}

// Step is the place of a snapshot: PREFIX-0012.
func (p Place) Step(step int) Place { return p.Part(fmt.Sprintf("%04d", step)) }

// Path is the path of the file.
func (p Place) Path() string { return p.Stem + p.Extension }

// Of is the place of an output of a variable, which has several where it is a sequence.
func (p Place) Of(v *strand.Variable, o *strand.Output) Place {
	if part, is := strings.CutPrefix(o.Name, v.Name+"-"); is && v.Type.Dynamic {
		return p.Part(part)
	}
	return p
}

// Variable is the variable whose output it is.
func Variable(p *strand.Program, o *strand.Output) *strand.Variable {
	for _, v := range p.Outputs() {
		if v.Name == o.Name || v.Type.Dynamic && (o.Name == v.Name+"-len" || o.Name == v.Name+"-data") {
			return v
		}
	}
	return nil
}
