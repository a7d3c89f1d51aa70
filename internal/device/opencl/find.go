package opencl

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/library"
)

// A found is a device that a driver tells of.
type found struct {
	api              *api
	platform, id     uintptr
	number           int // opencl:N
	name, driver     string
	version          string
	double, exact    bool
	compiles, ready  bool
	global, local    int64
	largest          int64 // bytes of one buffer
	units, groupSize int64
	kind             int64 // bits
	along            [3]int64
}

// String names the device and its driver.
func (f *found) String() string {
	return fmt.Sprintf("%s (%s, driver %s)", f.name, f.version, f.driver)
}

// find lists the devices of all drivers, in their order.
func find() (list []*found, err error) {
	a, err := theAPI()
	if err != nil {
		return nil, err
	}
	platforms, err := a.platforms()
	if err != nil {
		return nil, fmt.Errorf("%s finds no driver (%w); install one: Debian's pocl-opencl-icd makes a device of the processor", a.path, err)
	}
	for _, platform := range platforms {
		devices, err := a.devices(platform)
		if err != nil {
			continue // a driver without devices
		}
		for _, id := range devices {
			list = append(list, a.describe(platform, id, len(list)))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the drivers that %s finds have no device", a.path)
	}
	return list, nil
}

// platforms lists the drivers.
func (a *api) platforms() ([]uintptr, error) {
	return handles(func(room uintptr, into *uintptr, n *uint32) uintptr {
		return a.GetPlatformIDs.Call(room, uintptr(unsafe.Pointer(into)), uintptr(unsafe.Pointer(n)))
	})
}

// devices lists those of a driver.
func (a *api) devices(platform uintptr) ([]uintptr, error) {
	return handles(func(room uintptr, into *uintptr, n *uint32) uintptr {
		return a.GetDeviceIDs.Call(platform, typeAll, room, uintptr(unsafe.Pointer(into)), uintptr(unsafe.Pointer(n)))
	})
}

// drivers describes the drivers, also those without devices, with the reason that they give.
func drivers(a *api) (parts []device.Part) {
	platforms, _ := a.platforms()
	for _, p := range platforms {
		part := device.Part{Kind: "driver", Name: information(a.GetPlatformInfo, p, platformName), Version: information(a.GetPlatformInfo, p, platformVersion)}
		devices, err := a.devices(p)
		if part.Use = fmt.Sprintf("devices: %d", len(devices)); err != nil {
			part.Use = fmt.Sprintf("no device: %v", err)
		}
		parts = append(parts, part)
	}
	return parts
}

// handles asks how many there are, and then for them.
func handles(ask func(room uintptr, into *uintptr, n *uint32) uintptr) ([]uintptr, error) {
	n := new(uint32)
	if err := check("listing", ask(0, nil, n)); err != nil {
		return nil, err
	}
	if *n == 0 {
		return nil, status(-1)
	}
	list := make([]uintptr, *n)
	return list, check("listing", ask(uintptr(*n), &list[0], n))
}

func (a *api) describe(platform, id uintptr, number int) *found {
	text := func(what uintptr) string { return information(a.GetDeviceInfo, id, what) }
	integer := func(what uintptr) int64 { return number64(a.GetDeviceInfo, id, what) }
	f := &found{api: a, platform: platform, id: id, number: number, name: text(deviceName), driver: text(driverVersion)}
	f.version = strings.TrimSpace(text(deviceVersion) + ", " + information(a.GetPlatformInfo, platform, platformName))
	f.double, f.exact = integer(deviceDouble) != 0, integer(deviceSingle)&correctly != 0
	f.compiles, f.ready = integer(deviceCompilerAvailable) != 0, integer(deviceAvailable) != 0
	f.global, f.local, f.largest = integer(deviceGlobalBytes), integer(deviceLocalBytes), integer(deviceMaxAlloc)
	f.kind, f.along = integer(deviceType), numbers64(a.GetDeviceInfo, id, deviceMaxItemSizes)
	f.units, f.groupSize = integer(deviceMaxComputeUnits), integer(deviceMaxWorkGroupSize)
	return f
}

// information asks for a text; it is empty where there is none.
func information(ask library.Function, of, what uintptr) string {
	size := new(uintptr)
	if ask.Call(of, what, 0, 0, uintptr(unsafe.Pointer(size))) != 0 || *size == 0 {
		return ""
	}
	text := make([]byte, *size)
	if ask.Call(of, what, *size, uintptr(unsafe.Pointer(&text[0])), 0) != 0 {
		return ""
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	return strings.TrimSpace(string(text))
}

// numbers64 asks for three integers of the size of an address; they are 0 where there are none.
func numbers64(ask library.Function, of, what uintptr) (list [3]int64) {
	value := new([8]uintptr)
	if ask.Call(of, what, unsafe.Sizeof(*value), uintptr(unsafe.Pointer(value)), 0) == 0 {
		for i := range list {
			list[i] = int64(value[i])
		}
	}
	return list
}

// number64 asks for an integer of any size; it is 0 where there is none.
func number64(ask library.Function, of, what uintptr) int64 {
	value := new([4]int64) // some answers are longer than expected: room for them
	if ask.Call(of, what, unsafe.Sizeof(*value), uintptr(unsafe.Pointer(value)), 0) != 0 {
		return 0
	}
	return value[0]
}
