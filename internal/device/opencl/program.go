package opencl

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// An object begins with one of these: what follows is the driver's own form, or text for its compiler.
const (
	binaryObject = "opencl binary\n"
	sourceObject = "opencl source\n"
)

// compile makes an object of a module.
func (s *session) compile(m *target.Module, flags string, o device.CompileOptions) ([]byte, error) {
	program, log, err := s.buildSource(m.Code, flags)
	if err != nil {
		saved := ""
		if path, err := scratch.SaveReproducer(o.ReproducerDir, m.Code, ".cl"); err == nil {
			saved = "; the text is in " + path
		}
		return nil, &source.InternalError{Stage: "the compiler of OpenCL", Err: &device.RefusedError{
			Message: fmt.Sprintf("%s refused the kernel %s (%v)%s\n%s", s.found, m.Symbol, err, saved, log),
		}}
	}
	defer s.api.ReleaseProgram.Call(program)
	if binary := s.binary(program); len(binary) > 0 {
		return append([]byte(binaryObject), binary...), nil
	}
	return []byte(sourceObject + m.Code), nil
}

// buildSource makes a program of a text.
func (s *session) buildSource(text, flags string) (program uintptr, log string, err error) {
	code := new(int32)
	bytes := append([]byte(text), 0)
	strings, lengths := &[1]*byte{&bytes[0]}, &[1]uintptr{uintptr(len(text))}
	program = s.api.CreateProgramWithSource.Call(s.handles.context, 1, uintptr(unsafe.Pointer(strings)), uintptr(unsafe.Pointer(lengths)), uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return 0, "", status(*code)
	}
	return s.build(program, flags)
}

// buildBinary makes a program of what a driver gave.
func (s *session) buildBinary(binary []byte, flags string) (program uintptr, log string, err error) {
	code, valid := new(int32), new(int32)
	id, lengths, list := &[1]uintptr{s.id}, &[1]uintptr{uintptr(len(binary))}, &[1]*byte{&binary[0]}
	program = s.api.CreateProgramWithBinary.Call(s.handles.context, 1, uintptr(unsafe.Pointer(id)), uintptr(unsafe.Pointer(lengths)),
		uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(valid)), uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return 0, "", status(*code)
	}
	return s.build(program, flags)
}

// build compiles or links a program, and gives it back where that fails.
func (s *session) build(program uintptr, flags string) (_ uintptr, log string, err error) {
	id, options := &[1]uintptr{s.id}, append([]byte(flags), 0)
	result := s.api.BuildProgram.Call(program, 1, uintptr(unsafe.Pointer(id)), uintptr(unsafe.Pointer(&options[0])), 0, 0)
	if err = check("building", result); err == nil {
		return program, "", nil
	}
	log = s.log(program)
	s.api.ReleaseProgram.Call(program)
	return 0, log, err
}

// log is what the compiler said.
func (s *session) log(program uintptr) string {
	size := new(uintptr)
	if s.api.GetProgramBuildInfo.Call(program, s.id, buildLog, 0, 0, uintptr(unsafe.Pointer(size))) != 0 || *size == 0 {
		return ""
	}
	text := make([]byte, *size)
	if s.api.GetProgramBuildInfo.Call(program, s.id, buildLog, *size, uintptr(unsafe.Pointer(&text[0])), 0) != 0 {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(text), "\x00"))
}

// binary is the driver's form of a program, nil where it gives none.
func (s *session) binary(program uintptr) []byte {
	size := new(uintptr)
	if s.api.GetProgramInfo.Call(program, programBinarySizes, unsafe.Sizeof(*size), uintptr(unsafe.Pointer(size)), 0) != 0 || *size == 0 {
		return nil
	}
	binary := make([]byte, *size)
	list := &[1]*byte{&binary[0]}
	if s.api.GetProgramInfo.Call(program, programBinaries, unsafe.Sizeof(list[0]), uintptr(unsafe.Pointer(list)), 0) != 0 {
		return nil
	}
	return binary
}

// load makes a program of an object.
func (s *session) load(object []byte, flags string, p *plan.Plan) (program uintptr, err error) {
	log := ""
	if text, is := strings.CutPrefix(string(object), sourceObject); is {
		program, log, err = s.buildSource(text, flags)
	} else if binary, is := strings.CutPrefix(string(object), binaryObject); is && binary != "" {
		program, log, err = s.buildBinary([]byte(binary), flags)
	} else {
		return 0, fmt.Errorf("%s cannot load the kernel %s: it is no program of OpenCL", s.name(), p.Name)
	}
	if err != nil {
		return 0, fmt.Errorf("%s cannot load the kernel %s: %w\n%s", s.name(), p.Name, err, log)
	}
	return program, nil
}
