//go:build unix

package cache

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const hasModes = true

// asNobody runs the test again in a process of a user who may not write everywhere,
// when this one is root; it reports whether it did.
func asNobody(t *testing.T) bool {
	if os.Getuid() != 0 {
		return false
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "ricci-unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "cache.test")
	for _, err := range []error{copyFile(os.Args[0], program), os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o755), os.Chown(filepath.Join(dir, "tmp"), nobody, nobody)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	child := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	child.Dir = dir
	child.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return true
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
