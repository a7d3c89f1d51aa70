package ricci

import (
	"time"

	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
)

// A Target says what runs a kernel.
type Target string

// The targets.
const (
	Auto Target = "auto" // that of the best device that is there, else Eval, with a notice
	Eval Target = "eval" // no code: the reference evaluator runs the program, slowly; always there
	C    Target = "c"    // C, compiled by the system's compiler
)

// Targets lists the targets, the default first.
func Targets() []Target {
	var list []Target
	for _, name := range compile.TargetNames() {
		list = append(list, Target(name))
	}
	return list
}

// Options says how to compile. The zero value is the best that the machine has,
// with all its cores and the user's kernel cache.
type Options struct {
	Target Target // Auto when empty
	// Device is what runs the code, one of Devices, such as "host" or "evaluator"; empty means the best one that takes
	// code of the target.
	Device string
	// On is an opened device, which stands for Device: kernels work on its memory, where tensors that its Allocator gives are
	// used without a copy.
	On      *Device
	Threads int // the most threads that one call uses; 0 means GOMAXPROCS
	// Level keeps a kernel to a level of instructions, one of Levels (of AllLevels for Stage and Estimate), such as "avx2": its
	// schedule and its code are those of a lesser machine. What was tuned for this one is left
	// out. Empty means all instructions that the machine has.
	Level string
	// Machine is the text of a machine, as HostMachine and MachineText write it, for which schedules are made instead of the one
	// at hand. Code runs where that has the instructions, and keeps to the level of the machine. What was tuned for this one is left out.
	Machine string
	// MachineFile is the name of the file that Machine is from, for messages.
	MachineFile string
	// Numerics is the contract about floating-point numbers, one of NumericsModes: "strict",
	// "default" or "fast" (docs/numerics.md). Empty means default.
	Numerics string
	// Dynamic names sizes that stay variables of the kernel instead of
	// constants: one kernel then serves all their values, on dense arrays.
	Dynamic []string
	// OwnKernels is for how many shapes Def.Run and its like compile kernels with constant sizes.
	// Shapes beyond these are served by one kernel in which the sizes that differ are dynamic,
	// which Notice is told once; where there is no good one, and for a shape that is called more
	// than 16 times, there is a kernel of its own all the same. 0 means 8; negative, no limit.
	OwnKernels int
	// Constant names inputs that a caller promises to leave alone between calls with the
	// same *Tensor, such as the weights of a layer: a schedule that packs them does so
	// once for each.
	Constant []string
	// Schedule is the text of a schedule tree, as Stage prints it and Schedule.Text
	// makes it, or of a TeML script, instead of the default one. A schedule that does not fit the def or breaks a dependence is
	// an error of every Compile.
	Schedule string
	// ScheduleFile is the name of the file that Schedule is from, for messages.
	ScheduleFile string
	// Untuned leaves out what tuning found for the def (package tune).
	Untuned bool
	// CacheDir is the directory of compiled kernels; empty means RICCI_CACHE or
	// the user's cache directory.
	CacheDir string
	NoCache  bool // neither read nor write compiled kernels on disk
	// Memory is the most bytes that the temporaries of a call may take; more is an error before anything is
	// computed. Of a World it is the most that its strands and what they make may take. 0 is three quarters of what is available where the system says it; negative, no limit.
	Memory int64
	// CompileTimeout ends a C compiler that takes longer; 0 means two minutes.
	CompileTimeout time.Duration
	// InnerSteps has StageSteps show what TeML's library does inside of transformations that it
	// composes of others, such as tile.
	InnerSteps bool
	// AfterPass has StageLoop show the loops as they are behind one of the passes on loops, or behind "lower", before
	// all of them; empty means behind the last.
	AfterPass string
	// shown says that nothing will run: any level will do.
	shown bool
	// Notice receives what the user may want to know, such as that no compiler
	// was found; nil discards it. It may be called from several goroutines.
	Notice func(message string)
	// Warning receives what is doubtful about a script in Schedule; where it is nil, Notice
	// receives it in one line.
	Warning func(*Diagnostic)
}

// internal are the options as the compiler takes them.
func (o *Options) internal() compile.Options { return o.forCalls().Options }

// forCalls are the options as calls take them. It is on the path of calls: one literal, so that nothing is copied twice.
func (o *Options) forCalls() call.Options {
	if o.On != nil {
		return o.forCallsOn()
	}
	return call.Options{Options: compile.Options{
		Target: string(o.Target), Device: o.Device, Threads: o.Threads, Level: o.Level, Machine: o.Machine, MachineFile: o.MachineFile,
		Numerics: o.Numerics, Dynamic: o.Dynamic, Constant: o.Constant, Schedule: o.Schedule, ScheduleFile: o.ScheduleFile, Untuned: o.Untuned,
		CacheDir: o.CacheDir, NoCache: o.NoCache, Memory: o.Memory, CompileTimeout: o.CompileTimeout, InnerSteps: o.InnerSteps, AfterPass: o.AfterPass,
		Shown: o.shown, Notice: o.Notice, Warning: o.Warning,
	}, OwnKernels: o.OwnKernels}
}

// forCallsOn is forCalls for an opened device.
func (o *Options) forCallsOn() call.Options {
	plain := *o
	plain.On = nil
	c := plain.forCalls()
	c.Device, c.Beside = o.On.nameFor(o.Device), o.On.opened
	return c
}
