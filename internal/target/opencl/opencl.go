// Package opencl is the target of OpenCL C 1.2: what drivers of OpenCL compile for devices.
package opencl

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/items"
)

// Target prints loop programs as package items does, in the words of OpenCL C.
type Target struct{}

// Name returns "opencl".
func (Target) Name() string { return "opencl" }

// About says what it makes.
func (Target) About() string { return "OpenCL C 1.2, for the compilers of drivers" }

// Extension returns ".cl".
func (Target) Extension() string { return ".cl" }

// Expresses reports whether the language has words for a kind of node.
func (Target) Expresses(kind loop.Kind) bool {
	return kind != "endrow" && kind != "shuffle" && kind != "fragments"
}

// Flags returns nothing: the device says what its compiler has to know.
func (Target) Flags(string) []string { return nil }

// Print returns the text of a kernel.
func (Target) Print(f *loop.Func, options target.Options) (*target.Module, error) {
	return items.Print(dialect(), f, options)
}

func dialect() *items.Dialect {
	return &items.Dialect{
		Target: Target{},
		Reserved: `kernel global local constant read_only write_only read_write image2d_t image3d_t sampler_t event_t pipe barrier
			half2 half4 half8 half16 max min clamp mix dot cross distance length normalize sign step select any all convert uniform
			get_global_id get_local_id get_group_id`,
		Scalars: map[string]string{
			"i8": "char", "i16": "short", "i32": "int", "i64": "long", "u8": "uchar", "u16": "ushort", "u32": "uint", "u64": "ulong",
			"f32": "float", "f64": "double",
		},
		Long:        "L",
		Kernel:      "__kernel void",
		Function:    "inline static",
		Spaces:      [3]string{"__global", "__local", "__private"},
		Offsets:     true,
		Infinity:    "INFINITY",
		NaN:         "NAN",
		NativeLanes: 16,
		Head: func(mode numerics.Mode) string {
			if mode == numerics.Strict {
				return "#pragma OPENCL FP_CONTRACT OFF\n"
			}
			return ""
		},
		Needs:         map[string]string{"f64": "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"},
		Group:         [3]string{"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"},
		Item:          [3]string{"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
		Shared:        "__local",
		Aligned:       " __attribute__((aligned(16)))",
		LocalBarrier:  "barrier(CLK_LOCAL_MEM_FENCE);",
		GlobalBarrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
		Apart:         true,
		Claim:         "atomic_cmpxchg((volatile __global int *)fault, 0, site) == 0",
		Atomics: map[ein.BinaryOp]string{
			ein.Add: "atomic_add($p, $x)", ein.Min: "atomic_min($p, $x)", ein.Max: "atomic_max($p, $x)",
			ein.BitAnd: "atomic_and($p, $x)", ein.BitOr: "atomic_or($p, $x)", ein.BitXor: "atomic_xor($p, $x)",
		},
		FromFloat16: "  return vload_half(0, (const half *)&x);",
		Bits:        map[string]string{"f32": "as_float", "u32": "as_uint", "f64": "as_double", "u64": "as_ulong"},
		Functions:   functions,
	}
}
