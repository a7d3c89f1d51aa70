package pipelinetest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// faultVariable is set where TestWitness runs the case that faults.
const faultVariable = "RICCI_TEST_FAULT"

// TestWitness runs a kernel on an array that is an element too short, in a process of its own: it
// ends, and says which case it was.
func TestWitness(t *testing.T) {
	k := compiler(t)
	if k.Witness == nil {
		t.Skip("no shell on this machine")
	}
	text := "def f(float(N) A) -> (B) { B(i) = A(i) + 1.0 }\n"
	one := subject{"short.tc", text, defs(t, "short.tc", text)[0]}.sized(t, 1, func(string) int { return 16 })
	one.Name, one.Machine, one.Threads = "too_short", machine.Host(), 1
	one.Sizes["N"] = 17
	if err := one.PrepareDefault(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv(faultVariable) != "" {
		run(t, k, []*pipelinetest.Case{one}, 0)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(program, "-test.run=^TestWitness$")
	again.Env = append(os.Environ(), faultVariable+"=1")
	output, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "while this case ran") || !strings.Contains(string(output), one.String()) {
		t.Errorf("%v\n%s", err, output)
	}
}
