// Package dump writes syntax trees for people.
package dump

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// How it works
//
// The nodes of a tree are structs; their names and fields are found by reflection, so
// that a front end describes its tree once, in Go. Places and empty fields are left
// out; a struct called Name with a place and a text is that text.

// Write writes a node, or a list of nodes, one line for each.
func Write(w io.Writer, node any) error {
	d := &dumper{w: w}
	d.value("", reflect.ValueOf(node), 0)
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

// value writes a node and its fields.
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
		if v.NumField() == 2 && v.Type().Field(0).Name == "Pos" && v.Type().Name() == "Name" {
			d.value(label, v.Field(1), depth)
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
