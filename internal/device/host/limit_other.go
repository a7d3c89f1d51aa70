//go:build !linux

package host

import (
	"os"
	"time"
)

// limitProcessorTime does nothing: this system cannot limit another process.
func limitProcessorTime(*os.Process, time.Duration) {}
