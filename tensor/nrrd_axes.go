package tensor

import (
	"math"
	"strconv"
	"strings"
)

// nrrdSpaces are the names of spaces and how many dimensions they have.
var nrrdSpaces = map[string]int{
	"right-anterior-superior": 3, "ras": 3, "left-anterior-superior": 3, "las": 3, "left-posterior-superior": 3, "lps": 3,
	"right-anterior-superior-time": 4, "rast": 4, "left-anterior-superior-time": 4, "last": 4, "left-posterior-superior-time": 4, "lpst": 4,
	"scanner-xyz": 3, "scanner-xyz-time": 4, "3d-right-handed": 3, "3d-left-handed": 3, "3d-right-handed-time": 4, "3d-left-handed-time": 4,
}

// parseAxes reads the fields with a value for each axis.
func (h *nrrdText) parseAxes(p *nrrdHeader) error {
	axes := p.image.Axes
	for n := range axes {
		axes[n] = unknownAxis()
	}
	numbers := map[string]func(*Axis) *float64{
		"spacings": func(a *Axis) *float64 { return &a.Spacing }, "thicknesses": func(a *Axis) *float64 { return &a.Thickness },
		"axis mins": func(a *Axis) *float64 { return &a.Min }, "axis maxs": func(a *Axis) *float64 { return &a.Max },
	}
	texts := map[string]func(*Axis) *string{
		"centerings": func(a *Axis) *string { return &a.Centering }, "kinds": func(a *Axis) *string { return &a.Kind },
		"labels": func(a *Axis) *string { return &a.Label }, "units": func(a *Axis) *string { return &a.Unit },
	}
	for field, value := range h.fields {
		var words []string
		var err error
		switch {
		case numbers[field] != nil || field == "kinds" || field == "centerings":
			words = strings.Fields(value.text)
		case texts[field] != nil:
			words, err = h.quoted(field)
		default:
			continue
		}
		if err != nil {
			return err
		}
		if len(words) != len(axes) {
			return h.wrong(field, "", "there are %d values for %d axes", len(words), len(axes))
		}
		for n, word := range words {
			if texts[field] != nil {
				*texts[field](&axes[n]) = word
			} else if *numbers[field](&axes[n]), err = strconv.ParseFloat(word, 64); err != nil {
				return h.wrong(field, "", "%.40q is not a number", word)
			}
		}
	}
	for n := range axes {
		switch a := &axes[n]; strings.ToLower(a.Centering) {
		case "cell", "node", "":
			a.Centering = strings.ToLower(a.Centering)
		case "???", "none":
			a.Centering = ""
		default:
			return h.wrong("centerings", "", "%.40q is neither cell nor node nor none", a.Centering)
		}
		if axes[n].Kind == "???" || axes[n].Kind == "none" {
			axes[n].Kind = ""
		}
		size, has := nrrdKindSizes[strings.ToLower(axes[n].Kind)], p.shape[len(p.shape)-1-n]
		if size != 0 && size != has {
			return h.wrong("kinds", "write ??? for an axis whose kind is not known", "axis %d is %s, which has %d parts, and its size is %d", n, axes[n].Kind, size, has)
		}
	}
	return nil
}

// nrrdKindSizes are the sizes of axes of kinds that have one.
var nrrdKindSizes = map[string]int{
	"scalar": 1, "stub": 1, "complex": 2, "2-vector": 2, "3-color": 3, "rgb-color": 3, "hsv-color": 3, "xyz-color": 3, "4-color": 4, "rgba-color": 4,
	"3-vector": 3, "3-gradient": 3, "3-normal": 3, "4-vector": 4, "quaternion": 4, "2d-symmetric-matrix": 3, "2d-masked-symmetric-matrix": 4, "2d-matrix": 4,
	"2d-masked-matrix": 5, "3d-symmetric-matrix": 6, "3d-masked-symmetric-matrix": 7, "3d-matrix": 9, "3d-masked-matrix": 10,
}

// quoted reads strings in quotes, in which \" is a quote.
func (h *nrrdText) quoted(field string) ([]string, error) {
	var words []string
	rest := strings.TrimSpace(h.fields[field].text)
	for rest != "" {
		if rest[0] != '"' {
			return nil, h.wrong(field, "", "found %.20q, expected a text in quotes", rest)
		}
		var b strings.Builder
		at := 1
		for ; at < len(rest) && rest[at] != '"'; at++ {
			if rest[at] == '\\' && at+1 < len(rest) && (rest[at+1] == '"' || rest[at+1] == '\\') {
				at++
			}
			b.WriteByte(rest[at])
		}
		if at >= len(rest) {
			return nil, h.wrong(field, "", "a text has no quote at its end")
		}
		words = append(words, b.String())
		rest = strings.TrimSpace(rest[at+1:])
	}
	return words, nil
}

// parseSpace reads the place of the samples, and what else concerns the whole image.
func (h *nrrdText) parseSpace(p *nrrdHeader) error {
	m := p.image
	m.Content, m.SampleUnit = h.fields["content"].text, strings.Trim(h.fields["sample units"].text, `"`)
	dimension := 0
	if space, there := h.fields["space"]; there {
		if dimension = nrrdSpaces[strings.ToLower(space.text)]; dimension == 0 {
			return h.wrong("space", "a space without a name has 'space dimension: 3'", "%.40q is not known", space.text)
		}
		m.Space = space.text
	}
	if value, there := h.fields["space dimension"]; there {
		n, err := strconv.Atoi(value.text)
		if err != nil || n < 1 || n > 8 {
			return h.wrong("space dimension", "", "%.40q is not a number from 1 to 8", value.text)
		}
		if dimension != 0 {
			return h.wrong("space dimension", "keep one of them", "the field \"space\" says it already")
		}
		dimension = n
	}
	for _, field := range []string{"space directions", "space origin", "measurement frame", "space units"} {
		if _, there := h.fields[field]; there && dimension == 0 {
			return h.wrong(field, "add a line such as 'space dimension: 3'", "there is no space")
		}
	}
	var err error
	if _, there := h.fields["space units"]; there {
		if m.SpaceUnits, err = h.quoted("space units"); err != nil {
			return err
		}
		if len(m.SpaceUnits) != dimension {
			return h.wrong("space units", "", "there are %d values for %d dimensions", len(m.SpaceUnits), dimension)
		}
	}
	if m.Frame, err = h.vectors("measurement frame", dimension, dimension); err != nil {
		return err
	}
	for _, v := range m.Frame {
		if v == nil {
			return h.wrong("measurement frame", "", "found none, expected vectors")
		}
	}
	origin, err := h.vectors("space origin", 1, dimension)
	if err != nil {
		return err
	}
	if origin != nil {
		m.Origin = origin[0]
	}
	directions, err := h.vectors("space directions", len(m.Axes), dimension)
	for n, v := range directions {
		if v != nil {
			m.Axes[n].Spatial = true
			m.Directions = append(m.Directions, v)
		}
	}
	return err
}

// vectors reads vectors of n numbers, or none for nil; no field has none of them.
func (h *nrrdText) vectors(field string, count, n int) ([][]float64, error) {
	value, there := h.fields[field]
	if !there {
		return nil, nil
	}
	var list [][]float64
	for rest := strings.TrimSpace(value.text); rest != ""; rest = strings.TrimSpace(rest) {
		if after, none := strings.CutPrefix(rest, "none"); none {
			list, rest = append(list, nil), after
			continue
		}
		inside, after, closed := strings.Cut(rest, ")")
		if rest[0] != '(' || !closed {
			return nil, h.wrong(field, "", "found %.20q, expected a vector such as (0.5,0,0), or none", rest)
		}
		words := strings.Split(inside[1:], ",")
		if len(words) != n {
			return nil, h.wrong(field, "", "the vector %.60s) has %d numbers, the space %d dimensions", inside, len(words), n)
		}
		v := make([]float64, n)
		for k, word := range words {
			var err error
			if v[k], err = strconv.ParseFloat(strings.TrimSpace(word), 64); err != nil || math.IsNaN(v[k]) || math.IsInf(v[k], 0) {
				return nil, h.wrong(field, "", "%.40q is not a finite number", strings.TrimSpace(word))
			}
		}
		list, rest = append(list, v), after
	}
	if len(list) != count {
		return nil, h.wrong(field, "", "there are %d vectors, expected %d", len(list), count)
	}
	return list, nil
}
