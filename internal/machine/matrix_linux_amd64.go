package machine

import (
	"syscall"

	"github.com/klauspost/cpuid/v2"
)

// matrixFeatures lists the matrix units that the processor has and the system lets the
// process use: Linux wants to be asked once, since their state makes signal frames larger.
func matrixFeatures() []string {
	const request, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
	if !cpuid.CPU.Supports(cpuid.AMXTILE) {
		return nil
	}
	if _, _, failed := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, request, tileData, 0); failed != 0 {
		return nil
	}
	var list []string
	for _, u := range []struct {
		feature cpuid.FeatureID
		name    string
	}{{cpuid.AMXINT8, "amx_int8"}, {cpuid.AMXBF16, "amx_bf16"}} {
		if cpuid.CPU.Supports(u.feature) {
			list = append(list, u.name)
		}
	}
	return list
}
