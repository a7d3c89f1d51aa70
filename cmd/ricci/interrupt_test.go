package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/tensor"
)

// An interrupt ends every kind of long work with status 130 and leaves no part of
// a file. What runs here would take hours.
func TestInterrupt(t *testing.T) {
	tests := []struct {
		name string
		args []string
	}{
		{"evaluator", []string{"run", "FILE", "-s", "N=3000", "--target", "eval", "-o", "C=OUT"}},
		{"native code", []string{"run", "FILE", "-s", "N=12000", "--threads", "1", "-i", "A=iota", "B=1", "-o", "C=OUT"}},
		{"timing", []string{"run", "FILE", "-s", "N=10", "--runs", "1000000000"}},
		{"check", []string{"run", "FILE", "-s", "N=3000", "--check=all"}},
		{"JSON", []string{"run", "FILE", "-s", "N=3000", "--target", "eval", "--json"}},
		{"tests", []string{"test", "FILE", "--target", "eval"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, out := filepath.Join(dir, "mm.tc"), filepath.Join(dir, "c.npy")
			text := "def mm(float(N,N) A, float(N,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }\n# test: long\n#   size N = 3000\n"
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args := strings.Split(strings.NewReplacer("FILE", file, "OUT", out).Replace(strings.Join(test.args, " ")), " ")
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			var stdout, stderr bytes.Buffer
			if status := execute(ctx, args, strings.NewReader(""), &stdout, &stderr); status != statusInterrupted {
				t.Errorf("the status is %d, expected %d\n%s%s", status, statusInterrupted, &stdout, &stderr)
			}
			if !strings.Contains(stderr.String(), "ricci: interrupted\n") {
				t.Errorf("the message is %q", stderr.String())
			}
			if test.name == "JSON" && stdout.String() != "{\n  \"ok\": false,\n  \"diagnostics\": [],\n  \"error\": \"interrupted\"\n}\n" {
				t.Errorf("the output is %q", stdout.String())
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.npy*")); len(left) > 0 {
				t.Errorf("files are left: %v", left)
			}
		})
	}
}

// An interrupt of strands leaves whole snapshots, each with all of its outputs, and no part of another file.
func TestInterruptSnapshots(t *testing.T) {
	t.Chdir(t.TempDir())
	text := `#version 2.0
int step = 0;
strand s(int i) {
  output int n = 0;
  output real[3] x = {0.0, 0.0, 0.0};
  update { n += 1; x = {real(n), 0.0, 1.0}; }
}
update { step += 1; }
create_array { s(i) | i in 1 .. 2000 }
`
	if err := os.WriteFile("endless.diderot", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // until there are some
		for ctx.Err() == nil {
			if _, err := os.Stat("n-0006.nrrd"); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	if status := execute(ctx, strings.Fields("run endless.diderot --snapshot 2 -o n=n.nrrd"), strings.NewReader(""), &stdout, &stderr); status != statusInterrupted {
		t.Fatalf("the status is %d, expected %d\n%s", status, statusInterrupted, &stderr)
	}
	files, err := filepath.Glob("*.nrrd*")
	if err != nil || len(files) < 8 || len(files)%2 != 0 {
		t.Errorf("the files are %v", files)
	}
	for _, file := range files {
		m, err := tensor.OpenImage(file)
		if err != nil || m.Tensor.Dim(0) != 2000 {
			t.Errorf("%s: %v, %v", file, m, err)
		}
	}
	if _, err := os.Stat("n.nrrd"); err == nil {
		t.Error("there is an output")
	}
}

func TestSpreadLists(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"run f.tc -s M=1 N=2 -i A=iota B=b.npy --check", "run f.tc -s M=1 -s N=2 -i A=iota -i B=b.npy --check"},
		{"run -s M=1 f.tc g", "run -s M=1 f.tc g"},
		{"run --size=M=1 N=2", "run --size=M=1 N=2"},
		{"run -s M=1 -- N=2", "run -s M=1 -- N=2"},
		{"run -s", "run -s"},
		{"run f --snapshot 6 -l 3", "run f --snapshot=6 -l 3"},
		{"run f --snapshot -- -s 6", "run f --snapshot -- -s 6"},
	} {
		if got := strings.Join(spreadLists(strings.Fields(test.in)), " "); got != test.want {
			t.Errorf("%q reads as %q, expected %q", test.in, got, test.want)
		}
	}
}
