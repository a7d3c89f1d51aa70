// Package abi is the C side of kernels that other programs call: the header for these programs, and the code that all
// kernels share.
package abi

import (
	"crypto/sha256"
	_ "embed" // of C texts
	"encoding/hex"

	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A function that C programs call is a table of data (function.h) and the code of a kernel. What checks
// a call against the table is the same for all functions, and stands in call.c; tvm.c calls the same from the convention of
// tvm-ffi, and xla.c from that of XLA, which JAX has. Kernels get their threads from the pool of package device/host, whose text comes in front. Together they are the
// text Shared, which is compiled into a library of its own, that kernels compiled for a running program
// have in common, or beside a kernel into a library that needs no other.
//
// A function on a card of CUDA has its kernels as text or PTX in its table; card.c, which its library has behind the rest
// (OnCard), opens the driver, loads and launches them.
//
// docs/serve.md is the contract.

// Version is that of the calling convention.
const Version = 1

// Header is the header for programs that call kernels.
//
//go:embed ricci.h
var Header string

// Tables declares what the code of a kernel has to define.
//
//go:embed text/function.h
var Tables string

// Card declares what the code of a kernel for a card has to define beside.
//
//go:embed text/card.h
var Card string

//go:embed text/call.c
var callText string

//go:embed text/tvm.c
var tvmText string

//go:embed text/xla.c
var xlaText string

//go:embed text/threads.c
var threadsText string

//go:embed text/memory.c
var memoryText string

//go:embed text/card.c
var cardText string

// Shared is the text of what all kernels share, with the pool of threads, which makes the symbols visible or not.
func Shared(pool string, visible bool) string {
	visibility := "hidden"
	if visible {
		visibility = "default"
	}
	shared := "__attribute__((visibility(\"" + visibility + "\")))"
	return "#define EXPORT " + shared + "\n#define RICCI_SHARED " + shared + "\n" + pool + Header + Tables + callText + tvmText + xlaText + threadsText + memoryText
}

// OnCard is the text of what kernels on a card need, behind Shared.
func OnCard() string { return Card + cardText }

// Soname is the name of the library of that text, by which the system's loader knows it: equal texts are one library in a
// process, others are two.
func Soname(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "libricci-" + hex.EncodeToString(sum[:8]) + ".so"
}

// TypeOf is an element type as DLPack writes it.
func TypeOf(d tensor.DType) (code, bits int) {
	bits = 8 * d.Size()
	switch {
	case d == tensor.Bool:
		return 6, bits
	case d == tensor.BFloat16:
		return 4, bits
	case d.Kind() == tensor.KindInt:
		return 0, bits
	case d.Kind() == tensor.KindUint:
		return 1, bits
	}
	return 2, bits
}
