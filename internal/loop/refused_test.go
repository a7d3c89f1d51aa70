package loop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// refusedHead declares a buffer of each kind.
const refusedHead = `
	var N int64
	buffer A float32[100] argument readonly
	buffer B float32[100] argument
	buffer D float64[100] argument
	buffer I int32[100] argument
	buffer H bfloat16[100] argument
	buffer U uint8[128] argument
	buffer S int8[128] argument
	buffer acc float32x8[6] register
	buffer own float32[64] private
	buffer rest float32x8[2] private
	buffer wide float64x8[2] private
	buffer few float32x8[1] private
	buffer behind int64[1] private
	buffer parts bfloat16[9216] private
	buffer scant bfloat16[9215] private
	buffer W float32[64] workspace at 0
	params N "size N" nonnegative, A, B, D, I, H, U, S
	site "A" 0 [0, 100) "A(i)"`

// TestVerifyRefuses has for each rule about statements and expressions a program that breaks it,
// beside one that is like it and right.
func TestVerifyRefuses(t *testing.T) {
	for _, test := range []struct{ right, wrong, want string }{
		// Statements.
		{`if N > 1 { }`, `if N { }`, "the condition of an if is not a scalar bool"},
		{`if N > 1 { }`, `if broadcast(N > 1, 4) { }`, "the condition of an if is not a scalar bool"},
		{`while N > 1 { }`, `while N { }`, "the condition of a while is not a scalar bool"},
		{`while N > 1 { }`, `while broadcast(N > 1, 4) { }`, "the condition of a while is not a scalar bool"},
		{`while N < 100 { store B[N] = A[N] }`, `while N <= 100 { store B[N] = A[N] }`, "load from A"},
		{`while I[3] > int32(0) { let i int64 = cast(int64, I[3]) if i >= 0 && i < 100 { store B[i] = float32(1) } }`, `while I[3] >= int32(0) && I[3] < int32(100) { store I[3] = int32(200) store B[cast(int64, I[3])] = float32(1) }`, "store to B"},
		{`alloc own { while A[0] < float32(1) { store own[0] = A[0] } }`, `alloc own { parallel p = 0 .. 2 step 1 { while A[0] < float32(1) { store own[0] = A[0] } } }`, "share the private buffer own"},
		{`while N > 1 { let x float32 = A[0] }`, `while N > 1 { let x float32 = A[0] } store B[0] = x`, "outside its scope"},
		{`check N > 1, 0, N`, `check N, 0, N`, "the condition of a check is not a scalar bool"},
		{`check N > 1, 0, N`, `check N > 1, 0, A[0]`, "a check reports a value of type float32"},
		{`check N > 1, 0, N`, `check N > 1, 1, N`, "site 1 of 1"},
		{`parallel p = 0 .. 8 step 1 { turn { } }`, `turn { }`, "a turn that is not one of the statements of a parallel loop"},
		{`parallel p = 0 .. 8 step 1 { turn { } }`, `parallel p = 0 .. 8 step 1 { for i = 0 .. 2 step 1 { turn { } } }`, "a turn that is not one of the statements"},
		{`for i = 0 .. 8 step 4 { }`, `parallel i = 0 .. 8 step 4 { }`, "has step 4"},
		{`for i = 0 .. 8 step 4 { }`, `for i = 0 .. cast(int32, 8) step 4 { }`, "does not run over int64"},
		{`alloc own { }`, `alloc W { }`, "an alloc of a buffer that is not private or not listed"},
		{`alloc own { }`, `alloc own { alloc own { } }`, "is allocated inside its own alloc"},
		{`alloc own { store own[0] = A[0] }`, `alloc own { parallel p = 0 .. 2 step 1 { store own[p] = A[0] } }`, "share the private buffer own"},
		{`let x float32 = A[0]`, `let x float64 = A[0]`, "named by a variable of another type"},
		{ofBytes + ` tiles 8, 16, 4 lines 2`, ofBytes + ` pass 8, 2`, `groups say no "pass"`},
		{product("parts", "", "pass 8, 2 panels 3 keep columns"), product("parts", "", "depth 2"), `parts of float32 say no "depth"`},
		{product("parts", "", "tries 2"), product("scant", "", "tries 2"), "a product without room for parts"},
		{product("parts", "run 2 by 16, 16", "depth 8 chunks 2"), product("parts", "run 2 by 16, 16", "panels 8"), `parts of float32 in windows say no "panels"`},
		{product("parts", "", "keep rows"), product("parts", "run 2 by 16, 16", "keep rows"), "an operand is kept of a product of parts of float32 in windows"},
		{`transpose B[0 by 10] = A[0 by 10], 10, 10`, `transpose B[0 by 10] = B[0 by 10], 10, 10`, "a transposition from B"},
		{`transpose B[0 by 10] = A[0 by 10], 10, 10`, `transpose D[0 by 10] = A[0 by 10], 10, 10`, "a transposition from A"},
		{`transpose B[0 by 10] = A[0 by 10], 10, 10`, `transpose B[0 by 10] = A[0 by 10], 10, 11`, "load from A"},
		{`alloc own { transpose own[0 by 8] = A[0 by 8], 8, 8 }`, `alloc own { transpose own[0 by 8; stream] = A[0 by 8], 8, 8 }`, "a transposition to own cannot stream"},
		{`store B[8; stream] = A[8; 8]`, `store B[8; stream] = A[8]`, "a store to B cannot stream"},
		{`store B[8; stream] = A[8; 8]`, `alloc own { store own[8; stream] = A[8; 8] }`, "a store to own cannot stream"},
		{`alloc acc { store acc[0; kept] = A[8; 8] }`, `store B[0; kept] = A[8]`, "keeps no value in a register"},
		{`store B[3] = A[3]`, `store B[cast(int32, 3)] = A[3]`, "a subscript of type int32"},
		{`store S[0] = cast(int8 by int16, A[8; 8])`, `store S[0] = cast(int8 by int16, A[8])`, "a cast of float32 to int8 by int16"},
		{`store S[0] = cast(int8 by int32, D[8; 8])`, `store S[0] = cast(int8 by int32, A[8; 8])`, "a cast of float32x8 to int8 by int32"},
		{`store S[0] = cast(int8 by int16, A[8; 8])`, `store S[0] = cast(int8 by uint8, A[8; 8])`, "by uint8"},
		{`store S[0] = cast(int8 by int16, A[8; 8])`, `store B[0] = cast(float32 by int16, D[8; 8])`, "to float32 by int16"},
		{`alloc acc { store acc[0] = hold(A[8; 8]) }`, `store B[0] = hold(A[8])`, "no register holds a value of float32"},
		{`alloc acc { store acc[0] = hold(A[8; 8]) }`, `store B[0; mask hold(A[0; 8] < A[8; 8])] = A[8; 8]`, "no register holds a value of boolx8"},
		{`alloc acc { store acc[0] = A[8; 8] }`, `alloc acc { store acc[0] = A[8; 4] }`, "4 lanes"},
		{`store B[0; mask ramp(0, 1, 8) < broadcast(N, 8)] = A[0; 8]`, `store B[0; mask ramp(0, 1, 4) < broadcast(N, 4)] = A[0; 8]`, "a mask of type boolx4 for 8 lanes"},
		{`prefetch B[3; write]`, `prefetch A[3; write]`, "a prefetch of A"},
		{`alloc acc { prefetch B[3] }`, `alloc acc { prefetch acc[3] }`, "a prefetch of acc"},
		{`prefetch B[3; ahead 40]`, `alloc own { prefetch own[3; ahead 40] }`, "a prefetch of own 40 elements ahead"},
		{`prefetch B[3; ahead 40, step 8]`, `prefetch B[3; step 8]`, "in steps of 8"},
		{`prefetch B[3; second]`, `prefetch B[3; write, second]`, "into the second cache"},
		{`prefetch B[3; beyond N]`, `prefetch B[3; beyond A[0]]`, "beyond a place"},
		{`prefetch B[3]`, `prefetch B[100]`, "prefetch of B"},
		// Rows.
		{row("rest[0] behind behind, true"), row("wide[0] behind behind, true"), "vectors of B wait in wide"},
		{row("rest[0] behind behind, true"), row("rest[0] behind own, true"), "how far rows are behind lines"},
		{row("rest[0] behind behind, true"), row("rest[0] behind behind, N"), "whether a vector is the first of a row is a int64"},
		{row("rest[0] behind behind, true"), row("rest[2] behind behind, true"), "rest[2]"},
		{row("rest[0] behind behind heads few, true"), row("rest[0] behind behind heads rest, true"), "the first ones of 2 vectors"},
		{row("rest[0] behind behind, true"), strings.ReplaceAll(row("rest[0] behind behind, true"), "; stream", ""), "does not stream"},
		{row("rest[0] behind behind, true"), strings.ReplaceAll(row("rest[0] behind behind, true"), "endrow B", "endrow A"), "a row ends in A"},
		// Expressions.
		{`let x float32 = -(A[0])`, `let x bool = -(N > 1)`, "a unary operator on bool"},
		{`let x bool = !(N > 1)`, `let x int64 = !(N)`, "a unary operator on int64"},
		{`let x float32 = muladd(A[0], A[1], A[2])`, `let x float32 = muladd(A[0], A[1], D[2])`, "a multiply-add of different types"},
		{`let x float32 = exp(A[0])`, `let x int64 = exp(N)`, "a call of exp with int64"},
		{`let x float32x8 = broadcast(A[0], 8)`, `let x float32x8 = broadcast(A[0; 2], 8)`, "a broadcast of float32x2 to 8 lanes"},
		{`let x int64x8 = ramp(N, 1, 8)`, `let x float32x8 = ramp(A[0], 1, 8)`, "a ramp of float32 with 8 lanes"},
		{`let x float32 = fold(+, A[0; 8])`, `let x float32 = fold(-, A[0; 8])`, "a fold of float32"},
		{`let x bool = fold(&&, A[0; 8] < A[8; 8])`, `let x bool = fold(+, A[0; 8] < A[8; 8])`, "a fold of bool"},
		{`let x float32 = select(N > 1, A[0], A[1])`, `let x float32 = select(N, A[0], A[1])`, "a select of float32 by int64"},
		{`let x float32 = select(N > 1, A[0], A[1])`, `let x float32 = select(N > 1, A[0], D[1])`, "a select of float32"},
		{`let x float32x8 = select(N > 1, A[0; 8], A[1; 8])`, `let x float32x8 = select(broadcast(N > 1, 4), A[0; 8], A[1; 8])`, "a select of float32x8 by boolx4"},
		{`let x bool = N > 1 && N > 2`, `let x bool = (N > 1) + (N > 2)`, "arithmetic on bools"},
		{`let x float32x8 = shift(A[0; 8], 1, A[1])`, `let x float32x8 = shift(A[0; 8], 8, A[1])`, "a shift of float32x8 by 8"},
		{`let x float32x8 = shift(A[0; 8], -7, A[1])`, `let x float32x8 = shift(A[0; 8], -8, A[1])`, "a shift of float32x8 by -8"},
		{`let x float32x8 = shift(A[0; 8], 1, A[1])`, `let x float32x8 = shift(A[0; 8], 0, A[1])`, "a shift of float32x8 by 0"},
		{`let x float32x8 = shift(A[0; 8], 1, A[1])`, `let x float32x8 = shift(A[0; 8], 1, D[1])`, "is filled with float64"},
		{`let x float32x8 = shift(A[0; 8], 1, A[1])`, `let x float32 = shift(A[0], 1, A[1])`, "a shift of float32"},
		{`let x float32 = lane(A[0; 8], 7)`, `let x float32 = lane(A[0; 8], 8)`, "lane 8 of float32x8"},
		{`let x float32 = lane(A[0; 8], 7)`, `let x float32 = lane(A[0], 0)`, "lane 0 of float32"},
		{`let x int64 = lead(B[N], 8)`, `let x int64 = lead(B[N], 7)`, "a lead of 7 lanes"},
		{`alloc own { let x int64 = lead(own[N], 8) }`, `let x int64 = lead(own[N], 8)`, "a lead of buffer own outside its alloc"},
		{`let x int64 = lead(B[N], 8)`, `let x int64 = lead(B[A[0]], 8)`, "a lead of B at a subscript of type float32"},
		{`let x int32x8 = dot(U[0; 32], S[0; 32], I[0; 8])`, `let x int32x8 = dot(U[0; 16], S[0; 32], I[0; 8])`, "a dot product for 8 lanes with an operand of type"},
		{`let x int32x8 = dot(U[0; 32], S[0; 32], I[0; 8])`, `let x float32x8 = dot(U[0; 32], S[0; 32], A[0; 8])`, "dot products are added to"},
		{`let x int32x8 = dot(U[0; 32], S[0; 32], I[0; 8])`, `let x int32x8 = dot(U[0; 32], A[0; 32], I[0; 8])`, "a dot product of"},
		{`let x int32x8 = distances(U[0; 32], U[32; 32], I[0; 8])`, `let x int32x8 = distances(U[0; 32], S[32; 32], I[0; 8])`, "distances for 8 lanes with an operand of type"},
		{`let x int32x8 = distances(U[0; 32], U[32; 32], I[0; 8])`, `let x int32 = distances(U[0; 4], U[32; 4], I[0])`, "distances are added to"},
	} {
		if err := loop.Verify(parse(t, refusedHead, test.right)); err != nil {
			t.Errorf("%s: %v", test.right, err)
		}
		err := loop.Verify(parse(t, refusedHead, test.wrong))
		var internal *source.InternalError
		if !errors.As(err, &internal) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot %v, want %q", test.wrong, err, test.want)
		}
	}
}

// ofBytes is a product of bytes.
const ofBytes = `multiply I[0 by 4] = U[0 by 8 step 1], S[0 by 16], 4, 4, 8`

// product is one of float32 with room for parts, and with runs perhaps, that is cut in some way.
func product(room, runs, cut string) string {
	return `alloc ` + room + ` { multiply B[0 by 4] = A[0 by 4 step 1], A[0 by 4 step 1], 4, 4, 4 in ` + room + ` ` + runs + ` ` + cut + ` }`
}

// TestWrongCuts: numbers that no product has are refused where they stand.
func TestWrongCuts(t *testing.T) {
	for cut, want := range map[string]string{
		"pass 0, 2":    `"pass" has n from 1 to 256, m from 1 to 256, found 0, 2`,
		"pass 8":       "found 8",
		"lines 17":     `"lines" has n from 1 to 16, found 17`,
		"keep windows": "columns",
	} {
		if _, err := loop.Parse(source.NewFile("test", "kernel \"k\" workspace 256 {\n"+refusedHead+"\n"+product("parts", "", cut)+"\n}")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", cut, err, want)
		}
	}
}

// row stores a row of vectors past the caches; what is between is as given.
func row(waits string) string {
	kept, _, _ := strings.Cut(waits, ",")
	return `alloc rest { alloc wide { alloc few { alloc own { alloc behind { store B[16; stream; row ` + waits + `] = A[8; 8] endrow B[24; row ` + kept + `] } } } } }`
}

// TestVerifyRefusesDeclarations has wrong heads.
func TestVerifyRefusesDeclarations(t *testing.T) {
	for head, want := range map[string]string{
		"buffer A float32x3[8] argument\nparams A":                                    "buffer A has type float32x3",
		"buffer A float32[8] private readonly":                                        "buffer A is read-only and not an argument",
		"var N int32\nparams N":                                                       "parameter N has type int32",
		"buffer A float32[8] argument":                                                "argument buffer A is not a parameter",
		"buffer A float32[8] workspace at 0\nparams A":                                "neither a variable nor a listed argument buffer",
		"buffer A float32[8] workspace at 32":                                         "takes bytes [32, 64)",
		"buffer A float32[80] workspace at 0":                                         "takes bytes [0, 320) of a workspace of 256",
		"var N int64\nbuffer A float32[= N] private\nparams N nonnegative":            "is on the stack and has no fixed length",
		"var N int64\nbuffer A float32[= N > 1] argument\nparams N nonnegative, A":    "the length or offset of A is not an int64",
		"var N int64\nparams N nonnegative\nrequire N > 1":                            "a requirement is not an int64",
		"var N int64\nparams N nonnegative, N":                                        "a variable is assigned twice",
		"buffer A float32[-1] argument\nparams A":                                     "buffer A has length -1",
		"buffer A float32[8] workspace at 0\nbuffer B float32[8] workspace at -64":    "takes bytes [-64, -32)",
		"var N int64\nbuffer A float32[8] workspace at = N > 1\nparams N nonnegative": "the length or offset of A is not an int64",
	} {
		f, err := loop.Parse(source.NewFile("test", "kernel \"k\" workspace 256 {\n"+head+"\n}"))
		if err != nil {
			t.Errorf("%s: %v", head, err)
			continue
		}
		if err := loop.Verify(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot %v, want %q", head, err, want)
		}
	}
}
