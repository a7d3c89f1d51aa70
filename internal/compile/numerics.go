package compile

import (
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
)

// numerics is the mode that the options name.
func (o Options) numerics() (numerics.Mode, error) {
	mode, err := numerics.Parse(o.Numerics)
	if err != nil {
		d := &source.Diagnostic{Code: source.NoSuchTarget, Message: err.Error()}
		return mode, source.ErrorList{d.WithHelp("strict gives the same bits everywhere, fast the laws of real numbers; leave it out for default")}
	}
	return mode, nil
}
