package opencl

import (
	_ "embed"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
)

// description is the machine that schedules are made for, the same for all devices.
//
//go:embed opencl.machine
var description string

func describe() (*machine.Machine, error) {
	return machine.ParseMachine(source.NewFile("opencl.machine", description))
}
