package bench

import (
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/units"
)

// machineText describes the machine in a line.
func machineText() string {
	m := machine.Host()
	name := cpuid.CPU.BrandName
	if name == "" {
		name = runtime.GOARCH
	}
	return fmt.Sprintf("%s, %d cores, vectors of %d bytes, L1 %s, L2 %s, L3 %s", name, m.Cores, m.VectorBytes, units.Bytes(m.L1), units.Bytes(m.L2), units.Bytes(m.L3))
}
