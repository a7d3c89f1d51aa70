// Package cuda is the target of CUDA C: what NVIDIA's run-time compiler makes kernels of.
package cuda

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/items"
)

// Target prints loop programs as package items does, in the words of CUDA C.
type Target struct{}

// Name returns "cuda".
func (Target) Name() string { return "cuda" }

// About says what it makes.
func (Target) About() string { return "CUDA C, for NVIDIA's run-time compiler" }

// Extension returns ".cu".
func (Target) Extension() string { return ".cu" }

// Expresses reports whether the language has words for a kind of node.
func (Target) Expresses(kind loop.Kind) bool { return kind != "endrow" }

// Flags returns nothing: the device says what its compiler has to know.
func (Target) Flags(string) []string { return nil }

// Print returns the text of the kernels.
func (Target) Print(f *loop.Func, options target.Options) (*target.Module, error) {
	return items.Print(dialect(), f, options)
}

// StrictHead is what texts for strict numerics begin with: the language has no word that switches contraction off, but compilers have
// a flag, which whoever compiles such a text gives.
const StrictHead = "/* strict: to be compiled with --fmad=false */\n"

// subGroup is the mask of the threads of a warp that are in the sub-group of the one that asks, of so many.
const subGroup = `static __device__ inline unsigned r_sub_group(unsigned width) {
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return (0xffffffffu >> (32 - width)) << (thread % 32 / width * width);
}
`

// dynamicBlock is the local memory that launches give. A program that runs the text elsewhere defines R_DYNAMIC and has its own.
const dynamicBlock = `#ifndef R_DYNAMIC
extern __shared__ __align__(16) unsigned char r_dynamic[];
#endif
`

func dialect() *items.Dialect {
	return &items.Dialect{
		Target: Target{},
		Reserved: `threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float3 float4 double2 int2 int3 int4 uint2 uint3 uint4
			char2 char4 uchar4 short2 short4 longlong2 min max abs clock assert printf malloc free memcpy memset nan isnan isinf
			index y0 y1 yn j0 j1 jn gamma`,
		Scalars: map[string]string{
			"i8": "signed char", "i16": "short", "i32": "int", "i64": "long long", "u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int",
			"u64": "unsigned long long", "f32": "float", "f64": "double",
		},
		Long:     "LL",
		Kernel:   `extern "C" __global__ void`,
		Function: "static __device__ inline",
		Infinity: "__int_as_float(0x7f800000)",
		NaN:      "__int_as_float(0x7fffffff)",
		Head: func(mode numerics.Mode) string {
			if mode == numerics.Strict {
				return StrictHead
			}
			return ""
		},
		Needs:         map[string]string{"r_sub_group": subGroup, "r_copy": copyFunction, "r_commit": commitFunction, "r_wait": waitFunction, "r_dynamic": dynamicBlock},
		Copies:        copies,
		Group:         [3]string{"blockIdx.x", "blockIdx.y", "blockIdx.z"},
		Item:          [3]string{"threadIdx.x", "threadIdx.y", "threadIdx.z"},
		Together:      16,
		AlignedStruct: "struct __align__(%d)",
		Shared:        "__shared__ __align__(16)",
		Dynamic:       "r_dynamic",
		LocalBarrier:  "__syncthreads();",
		GlobalBarrier: "__syncthreads();",
		Shuffles: [3]string{
			loop.Xor:  "__shfl_xor_sync(r_sub_group($width), $x, $by, $width)",
			loop.Down: "__shfl_down_sync(r_sub_group($width), $x, $by, $width)",
			loop.Up:   "__shfl_up_sync(r_sub_group($width), $x, $by, $width)",
		},
		Atomics: map[ein.BinaryOp]string{
			ein.Add: "atomicAdd($p, $x)", ein.Min: "atomicMin($p, $x)", ein.Max: "atomicMax($p, $x)",
			ein.BitAnd: "atomicAnd($p, $x)", ein.BitOr: "atomicOr($p, $x)", ein.BitXor: "atomicXor($p, $x)",
		},
		MostWidth: 32,
		Fragments: fragments,
		Claim:     "atomicCAS(fault, 0, site) == 0",
		Bits:      map[string]string{"f32": "__uint_as_float", "u32": "__float_as_uint", "f64": "__longlong_as_double", "u64": "(u64)__double_as_longlong"},
		Functions: functions,
	}
}
