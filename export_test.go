package ricci

// KernelsOf counts the kernels that a program remembers: those for one shape, and those with
// dynamic sizes.
func KernelsOf(d *Def) (own, shared int) {
	m := d.program.kernels
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range m.byKey {
		<-r.ready
		if r.kernel.dynamic {
			shared++
		} else {
			own++
		}
	}
	return own, shared
}

// RefuseShared has Run find out that a def has no good kernel with dynamic sizes.
func RefuseShared(d *Def, options Options) {
	d.family(Signature{}, options).refused = true
}
