package machine

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// AvailableMemory returns how many bytes a process may take without anything being swapped, as Linux estimates
// it, within the limit of the control group that it is in; 0 where that is not known.
func AvailableMemory() int64 {
	available := int64(math.MaxInt64)
	if text, err := bounded.ReadFile("/proc/meminfo", 1<<16); err == nil {
		available = min(available, memoryIn(text))
	}
	limit, current := numberIn("/sys/fs/cgroup/memory.max"), numberIn("/sys/fs/cgroup/memory.current")
	if limit > 0 {
		available = min(available, max(limit-current, 0))
	}
	if available == math.MaxInt64 {
		return 0
	}
	return available
}

// memoryIn finds the line MemAvailable of /proc/meminfo, which counts in units of 1024 bytes.
func memoryIn(text []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemAvailable:" && fields[2] == "kB" {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil && n > 0 && n < math.MaxInt64/1024 {
				return n * 1024
			}
		}
	}
	return math.MaxInt64
}

// numberIn reads a file that holds a number; 0 for any other.
func numberIn(path string) int64 {
	text, err := bounded.ReadFile(path, 1<<16)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
