package cuda

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// newest is an architecture that every compiler since CUDA 11 makes PTX for, which drivers compile for newer cards.
const newest = "compute_70"

// invalidOption is NVRTC's error for a flag that it does not know, such as an architecture.
const invalidOption = 5

// version is that of the compiler.
func (c *compiler) version() string {
	major, minor := new(int32), new(int32)
	c.Version.Call(uintptr(unsafe.Pointer(major)), uintptr(unsafe.Pointer(minor)))
	return fmt.Sprintf("%d.%d", *major, *minor)
}

// compile makes an object of a module.
func (d *Device) compile(m *target.Module, o device.CompileOptions) ([]byte, error) {
	architecture := d.session.architecture()
	program, _, err := d.compiler.built(m, flags(architecture, d.strict), o)
	if errors.Is(err, errUnknownArchitecture) {
		d.compiler.destroy(program)
		architecture = newest // the card is newer than the compiler
		program, _, err = d.compiler.built(m, flags(architecture, d.strict), o)
	}
	defer d.compiler.destroy(program)
	if err != nil {
		return nil, err
	}
	if o.Assembly || architecture == newest {
		return d.compiler.output(d.compiler.GetPTXSize, d.compiler.GetPTX, program)
	}
	return d.compiler.output(d.compiler.GetCUBINSize, d.compiler.GetCUBIN, program)
}

var errUnknownArchitecture = errors.New("NVRTC does not know the architecture")

// flags are those of NVRTC. Its own defaults keep denormals, and round divisions and square roots correctly.
func flags(architecture string, strict bool) []string {
	list := []string{"--gpu-architecture=" + architecture, "--std=c++17", "-w"}
	if strict {
		list = append(list, "--fmad=false")
	}
	return list
}

// built is build with its error, errUnknownArchitecture among them.
func (c *compiler) built(m *target.Module, flags []string, o device.CompileOptions) (program uintptr, log string, err error) {
	program, log, code := c.build(m, flags)
	switch code {
	case 0:
		return program, log, nil
	case invalidOption:
		return program, log, fmt.Errorf("%w: NVRTC %s refuses %s", errUnknownArchitecture, c.version(), strings.Join(flags, " "))
	}
	saved := ""
	if path, err := scratch.SaveReproducer(o.ReproducerDir, m.Code, ".cu"); err == nil {
		saved = "; the text is in " + path
	}
	return program, log, &source.InternalError{Stage: "the compiler of CUDA", Err: &device.RefusedError{
		Message: fmt.Sprintf("NVRTC %s refused the kernel %s (error %d)%s\n%s", c.version(), m.Symbol, code, saved, log),
	}}
}

// destroy gives a program back.
func (c *compiler) destroy(program uintptr) {
	c.DestroyProgram.Call(uintptr(unsafe.Pointer(&program)))
}

// build compiles a text; code is 0 where that succeeds.
func (c *compiler) build(m *target.Module, flags []string) (program uintptr, log string, code int32) {
	into, list := new(uintptr), make([]*byte, len(flags))
	for i, f := range flags {
		list[i] = text(f)
	}
	if code = int32(c.CreateProgram.Call(uintptr(unsafe.Pointer(into)), uintptr(unsafe.Pointer(text(m.Code))), uintptr(unsafe.Pointer(text(m.Symbol+".cu"))), 0, 0, 0)); code != 0 {
		return *into, "", code
	}
	code = int32(c.CompileProgram.Call(*into, uintptr(len(list)), uintptr(unsafe.Pointer(&list[0]))))
	if said, err := c.output(c.GetProgramLogSize, c.GetProgramLog, *into); err == nil {
		log = strings.TrimSpace(strings.TrimRight(string(said), "\x00"))
	}
	return *into, log, code
}

// output asks how long something is, and then for it.
func (c *compiler) output(size, get library.Function, program uintptr) ([]byte, error) {
	n := new(uintptr)
	if code := int32(size.Call(program, uintptr(unsafe.Pointer(n)))); code != 0 || *n == 0 {
		return nil, fmt.Errorf("NVRTC gives nothing (error %d)", code)
	}
	bytes := make([]byte, *n)
	if code := int32(get.Call(program, uintptr(unsafe.Pointer(&bytes[0])))); code != 0 {
		return nil, fmt.Errorf("NVRTC gives nothing (error %d)", code)
	}
	return bytes, nil
}
