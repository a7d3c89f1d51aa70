package opencl

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/ricci-lang/ricci/internal/device/library"
)

// api has the functions of the library, by the names of OpenCL without cl.
type api struct {
	path string
	GetPlatformIDs, GetPlatformInfo, GetDeviceIDs, GetDeviceInfo,
	CreateContext, ReleaseContext, CreateCommandQueue, ReleaseCommandQueue,
	CreateBuffer, ReleaseMemObject, EnqueueReadBuffer, EnqueueWriteBuffer, EnqueueFillBuffer,
	CreateProgramWithSource, CreateProgramWithBinary, BuildProgram, GetProgramBuildInfo, GetProgramInfo, ReleaseProgram,
	CreateKernel, ReleaseKernel, GetKernelWorkGroupInfo, SetKernelArg, EnqueueNDRangeKernel,
	EnqueueMarkerWithWaitList, EnqueueBarrierWithWaitList, GetEventInfo, WaitForEvents, GetEventProfilingInfo, ReleaseEvent, Flush, Finish library.Function
}

// files are the names of the library that finds all drivers, newest first.
var files = []string{"libOpenCL.so.1", "libOpenCL.so", "/System/Library/Frameworks/OpenCL.framework/OpenCL"}

// theAPI opens the library once for all: drivers stay loaded.
var theAPI = sync.OnceValues(func() (*api, error) {
	l, err := library.Open(files...)
	if err != nil {
		return nil, fmt.Errorf("the library of OpenCL: %w; install the driver of the device, or the loader with a driver for processors (Debian: ocl-icd-libopencl1 and pocl-opencl-icd)", err)
	}
	a := &api{path: l.Path}
	fields := reflect.ValueOf(a).Elem()
	for i := 1; i < fields.NumField(); i++ {
		f, err := l.Function("cl" + fields.Type().Field(i).Name)
		if err != nil {
			return nil, fmt.Errorf("%w: OpenCL 1.2 is the least", err)
		}
		fields.Field(i).SetUint(uint64(f))
	}
	return a, nil
})

// The numbers of OpenCL that are used here.
const (
	platformName, platformVersion = 0x0902, 0x0901
	typeAll                       = 0xffffffff
	deviceType, typeProcessor     = 0x1000, 2
	deviceMaxItemSizes            = 0x1005

	deviceMaxComputeUnits, deviceMaxWorkGroupSize = 0x1002, 0x1004
	deviceMaxAlloc, deviceSingle                  = 0x1010, 0x101b
	deviceGlobalBytes, deviceLocalBytes           = 0x101f, 0x1023
	deviceAvailable, deviceCompilerAvailable      = 0x1027, 0x1028
	deviceName, deviceVendor, driverVersion       = 0x102b, 0x102c, 0x102d
	deviceVersion, deviceDouble                   = 0x102f, 0x1032

	contextPlatform = 0x1084
	queueProfiling  = 2
	eventStarted    = 0x1282
	eventEnded      = 0x1283
	eventState      = 0x11d3
	memReadWrite    = 1

	kernelGroup, kernelLocal, kernelPrivate = 0x11b0, 0x11b2, 0x11b4

	programBinarySizes, programBinaries = 0x1165, 0x1166
	buildLog                            = 0x1183

	// correctly is the bit of deviceSingle that says that divisions and square roots are rounded to the nearest number.
	correctly = 1 << 7
)

// A status is an error of OpenCL.
type status int32

// statusNames are those that people may meet; the others have their numbers.
var statusNames = map[status]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE", -4: "CL_MEM_OBJECT_ALLOCATION_FAILURE",
	-5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY", -11: "CL_BUILD_PROGRAM_FAILURE", -14: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
	-30: "CL_INVALID_VALUE", -33: "CL_INVALID_DEVICE", -34: "CL_INVALID_CONTEXT", -36: "CL_INVALID_COMMAND_QUEUE", -38: "CL_INVALID_MEM_OBJECT",
	-42: "CL_INVALID_BINARY", -43: "CL_INVALID_BUILD_OPTIONS", -44: "CL_INVALID_PROGRAM", -45: "CL_INVALID_PROGRAM_EXECUTABLE", -46: "CL_INVALID_KERNEL_NAME",
	-48: "CL_INVALID_KERNEL", -49: "CL_INVALID_ARG_INDEX", -50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE", -52: "CL_INVALID_KERNEL_ARGS",
	-53: "CL_INVALID_WORK_DIMENSION", -54: "CL_INVALID_WORK_GROUP_SIZE", -55: "CL_INVALID_WORK_ITEM_SIZE", -61: "CL_INVALID_BUFFER_SIZE",
	-63: "CL_INVALID_GLOBAL_WORK_SIZE", -1001: "CL_PLATFORM_NOT_FOUND_KHR",
}

// Error returns the name.
func (s status) Error() string {
	if name := statusNames[s]; name != "" {
		return name
	}
	return fmt.Sprintf("OpenCL error %d", int32(s))
}

// check makes an error of what a function returns.
func check(what string, result uintptr) error {
	if s := status(int32(result)); s != 0 {
		return fmt.Errorf("%s: %w", what, s)
	}
	return nil
}

// isOneOf reports whether an error is one of some of OpenCL.
func isOneOf(err error, list ...status) bool {
	var s status
	if !errors.As(err, &s) {
		return false
	}
	for _, one := range list {
		if s == one {
			return true
		}
	}
	return false
}
