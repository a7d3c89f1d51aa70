package bench

import (
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"
	"github.com/ricci-lang/ricci/internal/machine"
)

// machineText describes the machine in a line.
func machineText() string {
	m := machine.Host()
	name := cpuid.CPU.BrandName
	if name == "" {
		name = runtime.GOARCH
	}
	return fmt.Sprintf("%s, %d cores, vectors of %d bytes, L1 %d KB, L2 %d KB, L3 %d KB", name, m.Cores, m.VectorBytes, m.L1>>10, m.L2>>10, m.L3>>10)
}
