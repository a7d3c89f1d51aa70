package cards

import (
	"context"
	"errors"

	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
	"github.com/ricci-lang/ricci/tensor"
)

// functions compares each builtin function with its table of errors, with strict numerics and without.
func functions(ctx context.Context, p *place) (r Result, err error) {
	d, err := p.open(ctx, true)
	if err != nil {
		return r, err
	}
	made, _ := targets.Named(d.Driver().Target)
	var failed []error
	for _, typ := range []tensor.DType{tensor.Float32, tensor.Float64} {
		list := ein.Builtins()
		f, err := devicetest.Calls(list, typ, true)
		if err != nil {
			return r, err
		}
		words := devicetest.FunctionArguments(f, typ)
		for _, mode := range []numerics.Mode{numerics.Strict, numerics.Default} {
			m, err := made.Print(f, target.Options{Numerics: mode})
			if err != nil {
				return r, err
			}
			got := devicetest.Clone(words)
			if _, err := devicetest.Run(ctx, d, f, m, got); err != nil {
				return r, err
			}
			for i, b := range list {
				r.Compared++
				failed = append(failed, devicetest.Within(b, typ, words, got[len(devicetest.Operands)+i].Bytes, mode))
			}
		}
	}
	return r, errors.Join(failed...)
}
