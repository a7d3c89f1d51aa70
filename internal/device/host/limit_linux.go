package host

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// limitProcessorTime bounds the processor time of a process and of the children that
// it has yet to start, each by itself: when Ricci is killed, the compilers that it
// leaves behind end too. Nothing else hangs on it, so that a system which refuses is no error.
func limitProcessorTime(p *os.Process, limit time.Duration) {
	seconds := uint64(limit/time.Second) + 1
	_ = unix.Prlimit(p.Pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
}
