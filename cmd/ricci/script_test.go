package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/goldentest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ricci": main})
}

// TestScripts runs testdata/script. Beside the usual commands there are
//
//	status N ricci …        the exit status is N
//	json FILE PATH=VALUE…   what a JSON text holds, as in json stdout outputs.C.shape.0=2;
//	                        without VALUE only that it is there
//
// the condition [cc]: there is a C compiler, and the variable EXAMPLES, the directory.
func TestScripts(t *testing.T) {
	kernels := t.TempDir() // shared, so that the thread pool is compiled once
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: goldentest.Updating(),
		Setup: func(e *testscript.Env) error {
			e.Setenv(cache.Variable, kernels)
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLES", examples)
			directory, err := os.UserCacheDir()
			e.Setenv("GOCACHE", filepath.Join(directory, "go-build"))
			if set := os.Getenv("GOCACHE"); set != "" {
				e.Setenv("GOCACHE", set)
			}
			return err
		},
		Condition: func(name string) (bool, error) {
			if name != "cc" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return ricci.AutoTarget(context.Background(), ricci.Options{}) != ricci.Eval, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus, "json": wantJSON},
	})
}

func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	if want, err := strconv.Atoi(args[0]); err != nil || status != want {
		ts.Fatalf("the status is %d, expected %s", status, args[0])
	}
}

func wantJSON(ts *testscript.TestScript, _ bool, args []string) {
	var root any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &root))
	for _, arg := range args[1:] {
		path, want, _ := strings.Cut(arg, "=")
		node := root
		for _, key := range strings.Split(path, ".") {
			var found bool
			switch n := node.(type) {
			case map[string]any:
				node, found = n[key]
			case []any:
				i, err := strconv.Atoi(key)
				if found = err == nil && i < len(n); found {
					node = n[i]
				}
			}
			if !found {
				ts.Fatalf("there is no %s of %s", key, path)
			}
		}
		if got := fmt.Sprint(node); want != "" && got != want {
			ts.Fatalf("%s is %s, expected %s", path, got, want)
		}
	}
}
