package syntax

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// Dump writes the tree of the computation of which def is an instance.
func Dump(w io.Writer, file *source.File, def string) error {
	parsed, _ := Parse(file)
	var best *Computation
	for _, c := range parsed.Computations {
		if (c.Name.Name == def || strings.HasPrefix(def, c.Name.Name+"_")) && (best == nil || len(c.Name.Name) > len(best.Name.Name)) {
			best = c
		}
	}
	if best == nil {
		return source.Internalf("show", source.Span{}, "the computation %s is not in its file", def)
	}
	d := &dumper{w: w}
	d.value("", reflect.ValueOf(best), 0)
	return d.err
}

type dumper struct {
	w   io.Writer
	err error
}

func (d *dumper) line(depth int, label, text string) {
	if d.err == nil {
		if label != "" {
			label += ": "
		}
		_, d.err = fmt.Fprintf(d.w, "%s%s%s\n", strings.Repeat("  ", depth), label, text)
	}
}

// value writes a node and its fields; empty fields are left out.
func (d *dumper) value(label string, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			d.value(label, v.Elem(), depth)
		}
	case reflect.String:
		if v.Len() > 0 {
			d.line(depth, label, v.String())
		}
	case reflect.Slice:
		for n := range v.Len() {
			d.value(label, v.Index(n), depth)
		}
	case reflect.Struct:
		if name, ok := v.Interface().(Name); ok {
			d.value(label, reflect.ValueOf(name.Name), depth)
			return
		}
		d.line(depth, label, v.Type().Name())
		for n := range v.NumField() {
			if field := v.Type().Field(n); field.Name != "Pos" {
				d.value(strings.ToLower(field.Name), v.Field(n), depth+1)
			}
		}
	}
}
