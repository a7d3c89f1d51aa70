package bench

import (
	"fmt"
	"slices"
	"strings"
)

// A Portability has the metric Φ of Pennycook for frameworks, over platforms: machines, each with a device.
type Portability struct {
	Platforms  []Platform    `json:"platforms"`
	Frameworks []string      `json:"frameworks"`
	Rows       []PortableRow `json:"rows"`
	// NotMeasured are rows that a platform has left out, so that nobody is compared there.
	NotMeasured []LeftOut `json:"not_measured,omitempty"`
	// Wide are times whose confidence interval is wider than it was to be.
	Wide []string `json:"wide,omitempty"`
}

// A Platform is a machine with a device, and the file that has its results.
type Platform struct {
	File     string    `json:"file"`
	Machine  string    `json:"machine"`
	Device   string    `json:"device"`
	Date     string    `json:"date"`
	Version  string    `json:"version"`
	Interval *Interval `json:"interval,omitempty"`
}

// A PortableRow is a problem that all platforms have measured.
type PortableRow struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Frameworks are in the order of those of the whole.
	Frameworks []PortableFramework `json:"frameworks"`
}

// A PortableFramework says how near a framework is to the best time on each platform; 0 where it has none.
type PortableFramework struct {
	Name         string    `json:"name"`
	Efficiencies []float64 `json:"efficiencies"`
	Portability  float64   `json:"portability"`
}

// Pennycook is the harmonic mean of efficiencies on platforms; 0 if one of them is 0, because a platform is not
// supported, and for no platforms.
func Pennycook(efficiencies []float64) float64 {
	sum := 0.0
	for _, e := range efficiencies {
		if e <= 0 {
			return 0
		}
		sum += 1 / e
	}
	if sum == 0 {
		return 0
	}
	return float64(len(efficiencies)) / sum
}

// time is what the metric is computed from: the mean, as in the paper.
func (m *Measured) time() float64 { return m.Mean }

// framework reports whether a candidate counts: it solves the row's own problem, from arguments in the row's layout.
func (m *Measured) framework() bool { return !m.Packed && m.Other == "" }

// PortabilityOf computes the metric from results of several platforms, whose files have these names.
func PortabilityOf(files []string, list []*Results) (*Portability, error) {
	p := new(Portability)
	for i, r := range list {
		p.Platforms = append(p.Platforms, Platform{File: files[i], Machine: r.Machine, Device: r.Device, Date: r.Date, Version: r.Version, Interval: r.Interval})
	}
	if err := p.comparable(); err != nil {
		return nil, err
	}
	rows, err := p.common(list)
	if err != nil {
		return nil, err
	}
	for _, name := range rows {
		if err := p.add(name, list); err != nil {
			return nil, err
		}
	}
	if len(p.Frameworks) < 2 {
		return nil, fmt.Errorf("the files have times of %d frameworks %q, expected two or more: an efficiency is relative to the fastest of several; 'ricci doctor' names libraries to install", len(p.Frameworks), p.Frameworks)
	}
	for i := range p.Rows {
		p.Rows[i].complete(p.Frameworks, len(list))
	}
	return p, nil
}

// comparable refuses files that are not those of different platforms, measured by one Ricci.
func (p *Portability) comparable() error {
	for i, a := range p.Platforms {
		if a.Device == "" {
			return fmt.Errorf("%s does not say which device it is of: an older Ricci has written it; measure again", a.File)
		}
		for _, b := range p.Platforms[:i] {
			if a.Version != b.Version {
				return fmt.Errorf("%s is of %s and %s of %s: they are two frameworks, whose portability is that of neither; measure both with one version", b.File, b.Version, a.File, a.Version)
			}
			if a.Machine == b.Machine && a.Device == b.Device {
				return fmt.Errorf("%s and %s are both of the device %s of one machine (%s): portability is over different platforms; ricci bench --join makes one file of several that have parts of the rows", b.File, a.File, a.Device, a.Machine)
			}
		}
	}
	if len(p.Platforms) < 2 {
		return fmt.Errorf("%d platforms: portability is over two or more, each a file of --save from another machine, or another --device", len(p.Platforms))
	}
	return nil
}

// namesAtMost is how many rows a message names.
const namesAtMost = 5

// common lists the rows that all have measured. Rows that one left out are noted, rows that one does not know are refused.
func (p *Portability) common(list []*Results) ([]string, error) {
	var all []string
	for _, r := range list {
		for _, row := range r.Rows {
			if !slices.Contains(all, row.Name) {
				all = append(all, row.Name)
			}
		}
	}
	var names []string
	for _, name := range all {
		measured := true
		for i, r := range list {
			if r.widest(name) != nil {
				continue
			}
			measured = false
			if n := slices.IndexFunc(r.LeftOut, func(l LeftOut) bool { return l.Name == name }); n >= 0 {
				p.NotMeasured = append(p.NotMeasured, LeftOut{name, p.Platforms[i].File + ": " + r.LeftOut[n].Reason})
				continue
			}
			var missing []string
			for _, other := range all {
				if r.widest(other) == nil && !slices.ContainsFunc(r.LeftOut, func(l LeftOut) bool { return l.Name == other }) {
					missing = append(missing, other)
				}
			}
			text := strings.Join(missing[:min(len(missing), namesAtMost)], ", ")
			if more := len(missing) - namesAtMost; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			return nil, fmt.Errorf("%s lacks rows that others have: %s; measure them there too, or choose rows that all have by --filter", p.Platforms[i].File, text)
		}
		if measured {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no row was measured on all platforms")
	}
	return names, nil
}

// widest is the row of a name with the most threads: the whole of the device.
func (r *Results) widest(name string) *RowResult {
	var widest *RowResult
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Name == name && (widest == nil || row.Threads > widest.Threads) {
			widest = row
		}
	}
	return widest
}

// add adds a row, and the frameworks that it has a time of anywhere.
func (p *Portability) add(name string, list []*Results) error {
	row := PortableRow{Name: name}
	for k, r := range list {
		measured := r.widest(name)
		if row.Group == "" {
			row.Group = measured.Group
		}
		if first := list[0].widest(name); !sameSizes(first.Sizes, measured.Sizes) {
			return fmt.Errorf("%s has other sizes in %s than in %s: they are two problems", name, p.Platforms[k].File, p.Platforms[0].File)
		}
		best := 0.0
		for i := range measured.Times {
			m := &measured.Times[i]
			if !m.framework() || !m.ok() {
				continue
			}
			if m.time() <= 0 {
				return fmt.Errorf("%s has no means, only medians: an older Ricci has written it; measure again", p.Platforms[k].File)
			}
			if best == 0 || m.time() < best {
				best = m.time()
			}
			p.noteWidth(m, r, name, p.Platforms[k].File)
		}
		for i := range measured.Times {
			if m := &measured.Times[i]; m.framework() && m.ok() {
				row.framework(m.Candidate, len(list)).Efficiencies[k] = best / m.time()
				if !slices.Contains(p.Frameworks, m.Candidate) {
					p.Frameworks = append(p.Frameworks, m.Candidate)
				}
			}
		}
	}
	p.Rows = append(p.Rows, row)
	return nil
}

func sameSizes(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for name, n := range a {
		if m, ok := b[name]; !ok || n != m {
			return false
		}
	}
	return true
}

// noteWidth notes a time that is not known as well as the paper wants it.
func (p *Portability) noteWidth(m *Measured, r *Results, name, file string) {
	wanted := Published()
	if r.Interval != nil {
		wanted = *r.Interval
	}
	switch {
	case m.Interval == 0:
		p.Wide = append(p.Wide, fmt.Sprintf("%s, %s, %s: one sample, which has no interval", file, name, m.Candidate))
	case m.Interval > wanted.Width:
		p.Wide = append(p.Wide, fmt.Sprintf("%s, %s, %s: the %s interval of the mean is ±%s, not ±%s", file, name, m.Candidate, percentText(wanted.Level), percentText(m.Interval), percentText(wanted.Width)))
	}
}

func (row *PortableRow) framework(name string, platforms int) *PortableFramework {
	n := slices.IndexFunc(row.Frameworks, func(f PortableFramework) bool { return f.Name == name })
	if n < 0 {
		n = len(row.Frameworks)
		row.Frameworks = append(row.Frameworks, PortableFramework{Name: name, Efficiencies: make([]float64, platforms)})
	}
	return &row.Frameworks[n]
}

// complete gives the row all frameworks in their order, and computes the metric.
func (row *PortableRow) complete(frameworks []string, platforms int) {
	var list []PortableFramework
	for _, name := range frameworks {
		f := *row.framework(name, platforms)
		f.Portability = Pennycook(f.Efficiencies)
		list = append(list, f)
	}
	row.Frameworks = list
}
