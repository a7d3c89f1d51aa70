package call

import (
	"maps"

	"github.com/ricci-lang/ricci/tensor"
)

// onHost gives tensors as the evaluator reads them: those on a device as copies, which are closed by giveUp.
func onHost(args map[string]*tensor.Tensor) (near map[string]*tensor.Tensor, giveUp func(), err error) {
	near = args
	var copies []*tensor.Tensor
	giveUp = func() {
		for _, c := range copies {
			_ = c.Close() // on the host, where nothing can fail
		}
	}
	for name, t := range args {
		if t == nil || t.Memory() == nil {
			continue
		}
		same, err := t.ToHost()
		if err != nil {
			giveUp()
			return nil, nil, err
		}
		if copies == nil {
			near = maps.Clone(args)
		}
		near[name], copies = same, append(copies, same)
	}
	return near, giveUp, nil
}

// caseOnHost is onHost for the arguments and the outputs of a call.
func caseOnHost(args, outputs map[string]*tensor.Tensor) (nearArgs, nearOutputs map[string]*tensor.Tensor, giveUp func(), err error) {
	nearArgs, giveUpArgs, err := onHost(args)
	if err != nil {
		return nil, nil, nil, err
	}
	nearOutputs, giveUpOutputs, err := onHost(outputs)
	if err != nil {
		giveUpArgs()
		return nil, nil, nil, err
	}
	return nearArgs, nearOutputs, func() { giveUpArgs(); giveUpOutputs() }, nil
}
