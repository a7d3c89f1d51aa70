package machine

import "slices"

// memoryNames has the names that measured peaks give to layers of memory, where they differ.
var memoryNames = map[string]string{"memory": MainMemory}

// WithPeaks notes speeds that were measured of a machine; nil changes nothing. A memory that it was not known to
// have is added, with speeds and no capacity.
func (m *Machine) WithPeaks(p *Peaks) {
	if p == nil {
		return
	}
	slower := m.Find(MainMemory) // the memory at hand stands behind it
	for _, measured := range slices.Backward(p.Layers) {
		name := measured.Name
		if other, differs := memoryNames[name]; differs {
			name = other
		}
		n := m.Find(name)
		if n == 0 {
			added := Layer{Name: name, Region: name}
			if !measured.Shared {
				added.PrivateTo = CoreLayer
			}
			m.Layers = slices.Insert(m.Layers, slower, added)
			n = slower + 1
		}
		slower = n
		l := m.Layer(n)
		l.Reach, l.Bandwidths = measured.Bytes, measured.Bandwidths
		for _, k := range layerKeys {
			if k.measured && k.get(l) != "" {
				l.note(k.name, Measured)
			}
		}
	}
	cores, lanes := m.Layer(m.Find(CoreLayer)), m.Layer(m.Find(LaneLayer))
	cores.MeasuredWith, lanes.Rates = p.Threads, slices.Clone(p.Rates)
	cores.note("measured-with", Measured)
	lanes.Ratios = p.Ratios.or(lanes.Ratios)
	for _, f := range p.Ratios.List() {
		lanes.note(f.Name, Measured)
	}
	lanes.note("rate", Measured)
}

// note remembers who knows a fact.
func (l *Layer) note(fact string, o Origin) {
	if l.Origins == nil {
		l.Origins = map[string]Origin{}
	}
	l.Origins[fact] = o
}

// shortName is the name of a layer among peaks.
func shortName(layer string) string {
	for short, long := range memoryNames {
		if long == layer {
			return short
		}
	}
	return layer
}

// peaks is the inverse of WithPeaks: the speeds that are known.
func (m *Machine) peaks() *Peaks {
	cores, lanes := m.Layer(m.Find(CoreLayer)), m.Layer(m.Find(LaneLayer))
	p := &Peaks{Threads: cores.MeasuredWith, Rates: slices.Clone(lanes.Rates)}
	for _, l := range slices.Backward(m.Layers) {
		if l.Core || l.Bandwidths == (Bandwidths{}) {
			continue
		}
		p.Layers = append(p.Layers, Memory{Name: shortName(l.Name), Bytes: l.Reach, Shared: l.PrivateTo == "", Bandwidths: l.Bandwidths})
	}
	if p.Threads == 0 {
		p.Threads = int(cores.Units)
	}
	return p
}
