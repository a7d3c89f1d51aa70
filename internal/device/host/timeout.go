package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// TimeoutVariable is the environment variable that says how long a C compiler may
// take for one program: 90s, 5m, or a number of seconds.
const TimeoutVariable = "RICCI_CC_TIMEOUT"

// defaultTimeout is for a user who has set none.
const defaultTimeout = 2 * time.Minute

// questionTimeout is how long a compiler may take to tell its version, unless the user's limit is shorter.
const questionTimeout = 20 * time.Second

// Timeout returns how long a compiler may take: the user's limit or the default.
func Timeout() (time.Duration, error) {
	text := strings.TrimSpace(os.Getenv(TimeoutVariable))
	if text == "" {
		return defaultTimeout, nil
	}
	limit, err := time.ParseDuration(text)
	if seconds, plain := strconv.ParseFloat(text, 64); plain == nil && seconds < float64(1<<30) {
		limit, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("%s=%q is not a time: write 90s, 5m or a number of seconds", TimeoutVariable, text)
	}
	return limit, nil
}

// A TimeoutError says that a compiler did not end in time.
type TimeoutError struct {
	Compiler string
	Limit    time.Duration
	Tried    []string // the command
}

// Error says what was tried, and how to change the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s did not finish within %v and was ended; %s sets another limit, and %s names another compiler; tried: %s",
		e.Compiler, e.Limit, TimeoutVariable, CompilerVariable, strings.Join(e.Tried, " "))
}

// Unwrap returns the cause.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// mostMessages is how much of what a compiler says is kept.
const mostMessages = 1 << 20

// errTalkative says that a program wrote more than anybody would read.
var errTalkative = errors.New("it writes without end")

// messages keeps what a compiler says. A program that says too much finds its output closed.
type messages struct{ text bytes.Buffer }

// Write keeps p, or fails.
func (m *messages) Write(p []byte) (int, error) {
	if m.text.Len()+len(p) > mostMessages {
		return 0, errTalkative
	}
	return m.text.Write(p)
}
