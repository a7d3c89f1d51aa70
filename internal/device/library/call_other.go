//go:build !((linux || darwin) && (amd64 || arm64) && !android && !faketime)

package library

import (
	"errors"
	"runtime"
)

var errUnsupported = errors.New("libraries cannot be loaded on " + runtime.GOOS + "/" + runtime.GOARCH)

func open(string) (uintptr, error) { return 0, errUnsupported }

func find(uintptr, string) (Function, error) { return 0, errUnsupported }

// Call is never reached: there is no library.
func (f Function) Call(args ...uintptr) uintptr { return 0 }
