package machine_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

func TestHost(t *testing.T) {
	m := machine.Host()
	if m.VectorBytes < 16 || m.VectorRegisters < 16 || m.L1 < 1<<12 || m.L2 < m.L1 || m.Cores < 1 {
		t.Errorf("%+v", m)
	}
}
