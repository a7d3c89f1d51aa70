package cuda

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device/library"
)

// api has the functions of the driver, by their names without cu; those that came with a second version have it.
type api struct {
	path string
	Init, DriverGetVersion, DeviceGetCount, DeviceGet, DeviceGetName, DeviceGetAttribute, DeviceTotalMem_v2,
	DevicePrimaryCtxRetain, DevicePrimaryCtxRelease_v2, CtxSetCurrent, CtxSynchronize,
	MemAlloc_v2, MemFree_v2, MemsetD8Async, MemcpyHtoD_v2, MemcpyDtoH_v2, MemHostAlloc, MemFreeHost, MemcpyHtoDAsync_v2,
	ModuleLoadData, ModuleUnload, ModuleGetFunction, FuncGetAttribute, FuncSetAttribute, LaunchKernel,
	StreamCreate, StreamDestroy_v2, StreamWaitEvent, EventCreate, EventRecord, EventSynchronize, EventElapsedTime, EventDestroy_v2 library.Function
}

// compiler has the functions of NVRTC, by their names without nvrtc.
type compiler struct {
	path string
	Version, CreateProgram, DestroyProgram, CompileProgram, GetProgramLogSize, GetProgramLog,
	GetPTXSize, GetPTX, GetCUBINSize, GetCUBIN library.Function
}

// The names of the libraries, newest first.
var (
	driverFiles   = []string{"libcuda.so.1", "libcuda.so"}
	compilerFiles = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}
)

// A libraries is where the driver and its compiler are found: in tests elsewhere than in the system.
type libraries struct {
	driver   func() (*api, error)
	compiler func() (*compiler, error)
	clang    func() (*clang, error) // where there is no compiler
}

// system opens the libraries of the system once for all: drivers stay loaded.
var system = libraries{
	driver:   sync.OnceValues(func() (*api, error) { return openDriver(driverFiles...) }),
	compiler: sync.OnceValues(func() (*compiler, error) { return openCompiler(compilerFiles...) }),
	clang:    sync.OnceValues(findClang),
}

func openDriver(files ...string) (*api, error) {
	l, err := library.Open(files...)
	if err != nil {
		return nil, fmt.Errorf("the driver of NVIDIA's cards: %w; install it (Debian non-free: nvidia-driver)", err)
	}
	a := &api{path: l.Path}
	if err := functionsOf(l, "cu", a); err != nil {
		return nil, err
	}
	return a, check("starting the driver", a.Init.Call(0))
}

func openCompiler(files ...string) (*compiler, error) {
	l, err := library.Open(files...)
	if err != nil {
		return nil, fmt.Errorf("the run-time compiler of CUDA: %w; install it (Debian non-free: libnvrtc11.2; or CUDA's own packages: cuda-nvrtc)", err)
	}
	c := &compiler{path: l.Path}
	return c, functionsOf(l, "nvrtc", c)
}

// functionsOf finds the functions that a struct has fields for, behind its first one.
func functionsOf(l *library.Library, prefix string, into any) error {
	fields := reflect.ValueOf(into).Elem()
	for i := 1; i < fields.NumField(); i++ {
		f, err := l.Function(prefix + fields.Type().Field(i).Name)
		if err != nil {
			return err
		}
		fields.Field(i).SetUint(uint64(f))
	}
	return nil
}

// The attributes of devices that are asked for: what a block and a grid may have, how fast the card is, and the architecture.
const (
	attributeThreads               = 1
	attributeThreadsX              = 2 // and along y and z the next ones
	attributeBlocksX               = 5 // and so on
	attributeShared                = 8
	attributeWarp                  = 10
	attributeRegisters             = 12
	attributeClock                 = 13 // kHz
	attributeProcessors            = 16
	attributeMemoryClock           = 36 // kHz
	attributeMemoryWidth           = 37 // bits
	attributeLastCache             = 38 // bytes
	attributeResident              = 39 // threads of a multiprocessor
	attributeMajor, attributeMinor = 75, 76
	attributeLocalInCore           = 81 // bytes of shared memory of a multiprocessor
	attributeRegisterFile          = 82 // registers of a multiprocessor
	attributeSharedGiven           = 97 // bytes of a block, where launches give them; 0: no more than kernels declare
)

// The attributes of functions that are asked for, and one that is set.
const (
	functionThreads   = 0
	functionShared    = 1
	functionLocal     = 3 // bytes of a thread that lie in memory: what registers are spilled to, and arrays
	functionRegisters = 4
	functionDynamic   = 8 // the most bytes of shared memory that launches give
)

// streamApart is the flag of streams that the context's own does not wait for.
const streamApart = 1

// eventWithoutTime is the flag of events that only say that they are reached.
const eventWithoutTime = 2

// A result is an error of the driver.
type result int32

// resultNames are those that people may meet; the others have their numbers.
var resultNames = map[result]string{
	1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY", 3: "CUDA_ERROR_NOT_INITIALIZED", 4: "CUDA_ERROR_DEINITIALIZED", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
	100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE", 200: "CUDA_ERROR_INVALID_IMAGE", 201: "CUDA_ERROR_INVALID_CONTEXT", 209: "CUDA_ERROR_NO_BINARY_FOR_GPU",
	214: "CUDA_ERROR_ECC_UNCORRECTABLE", 218: "CUDA_ERROR_INVALID_PTX", 222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 400: "CUDA_ERROR_INVALID_HANDLE", 500: "CUDA_ERROR_NOT_FOUND",
	700: "CUDA_ERROR_ILLEGAL_ADDRESS", 701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 702: "CUDA_ERROR_LAUNCH_TIMEOUT", 709: "CUDA_ERROR_CONTEXT_IS_DESTROYED",
	714: "CUDA_ERROR_HARDWARE_STACK_ERROR", 715: "CUDA_ERROR_ILLEGAL_INSTRUCTION", 716: "CUDA_ERROR_MISALIGNED_ADDRESS", 717: "CUDA_ERROR_INVALID_ADDRESS_SPACE",
	718: "CUDA_ERROR_INVALID_PC", 719: "CUDA_ERROR_LAUNCH_FAILED", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", 999: "CUDA_ERROR_UNKNOWN",
}

// gone are the errors behind which a context cannot be used any more.
var gone = map[result]bool{4: true, 46: true, 100: true, 101: true, 201: true, 214: true, 700: true, 702: true, 709: true, 714: true, 715: true, 716: true, 717: true, 718: true, 719: true, 999: true}

// Error returns the name.
func (r result) Error() string {
	if name := resultNames[r]; name != "" {
		return name
	}
	return fmt.Sprintf("CUDA error %d", int32(r))
}

// check makes an error of what a function of the driver returns.
func check(what string, code uintptr) error {
	if r := result(int32(code)); r != 0 {
		return fmt.Errorf("%s: %w", what, r)
	}
	return nil
}

// text is a name for C.
func text(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
