package ricci

// MustParse is Parse for programs that are part of a Go program: it panics where they are wrong.
//
//	var program = ricci.MustParse("mm.tc", text)
func MustParse(name, text string) *Program {
	p, err := Parse(name, text)
	if err != nil {
		panic(err)
	}
	return p
}

// MustDef is Def for names that are known to be there: it panics where there is no such def.
func (p *Program) MustDef(name string) *Def {
	d, err := p.Def(name)
	if err != nil {
		panic(err)
	}
	return d
}

// MustTyped is TypedOf for structs that are known to fit: it panics where one does not.
func MustTyped[A any](d *Def, options Options) *Typed[A] {
	t, err := TypedOf[A](d, options)
	if err != nil {
		panic(err)
	}
	return t
}
