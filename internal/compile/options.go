package compile

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// Auto and Eval are the values of Options.Target that name no target: that of the best device, and none.
const (
	Auto = "auto"
	Eval = "eval" // the reference evaluator runs the program
)

// TargetNames lists the values of Options.Target.
func TargetNames() []string {
	names := []string{Auto}
	for _, t := range targets.All() {
		names = append(names, t.Name())
	}
	return append(names, Eval)
}

// Options say how to compile; ricci.Options explains each. The zero value is the best that the machine has.
type Options struct {
	Target, Device         string
	Beside                 device.Device // an opened one of that name, on whose memory kernels work; nil: on that of another
	Threads                int
	Level                  string
	Machine, MachineFile   string
	Numerics               string
	Dynamic, Constant      []string
	Schedule, ScheduleFile string
	Untuned                bool
	CacheDir               string
	NoCache                bool
	Memory                 int64
	CompileTimeout         time.Duration
	InnerSteps             bool
	AfterPass              string // the last pass on loops of StageLoop; empty: all
	// Shown says that nothing will run: any level and any machine will do.
	Shown   bool
	Notice  func(message string)
	Warning func(*source.Diagnostic)
}

func (o Options) notice(format string, args ...any) {
	if o.Notice != nil {
		o.Notice(fmt.Sprintf(format, args...))
	}
}

// Warn gives a warning to who wants it.
func (o Options) Warn(d *source.Diagnostic) {
	if o.Warning != nil {
		o.Warning(d)
		return
	}
	o.notice("%s", d.Error())
}

// ThreadCount is the most threads that a call uses.
func (o Options) ThreadCount() int64 {
	if o.Threads > 0 {
		return int64(o.Threads)
	}
	return int64(runtime.GOMAXPROCS(0))
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }

// refuse makes an error with a help.
func refuse(code source.Code, message, help string, args ...any) error {
	d := &source.Diagnostic{Code: code, Message: message}
	return source.ErrorList{d.WithHelp(help, args...)}
}

// listed joins names.
func listed(names []string) string { return strings.Join(names, ", ") }
