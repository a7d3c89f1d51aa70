package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck plants mistakes that only another system or its tests have.
func TestCheck(t *testing.T) {
	right := map[string]string{
		"go.mod":      "module example.org/m\n\ngo 1.26\n",
		"a.go":        "package m\n\nimport \"fmt\"\n\nfunc A() string { return fmt.Sprint(B()) }\n",
		"b_linux.go":  "package m\n\nfunc B() int { return 1 }\n",
		"b_other.go":  "//go:build !linux\n\npackage m\n\nfunc B() int { return 2 }\n",
		"a_test.go":   "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(B()) }\n",
		"out_test.go": "package m_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m\"\n)\n\nfunc TestOut(t *testing.T) { t.Log(m.A()) }\n",
	}
	if said := complaints(t, right); len(said) > 0 {
		t.Errorf("nothing is wrong: %q", said)
	}
	wrong := maps.Clone(right)
	wrong["b_linux.go"] = "package m\n\nfunc B() int { return 1 }\n\nvar _ = int32(1 << 40)\n" // not for the other system
	wrong["b_other.go"] = "//go:build !linux\n\npackage m\n\nfunc B() int { return missing }\n"
	wrong["large.go"] = "package m\n\nvar large = B() + 1<<40\n"
	wrong["a_test.go"] = "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(B(1)) }\n"
	wrong["out_test.go"] = "package m_test\n\nimport \"example.org/m\"\n\nvar _ = m.C()\n"
	said := complaints(t, wrong)
	for _, want := range []string{"b_other.go:5:23: undefined: missing", "large.go:3:19: 1 << 40", "too many arguments in call to B", "undefined: m.C"} {
		if n := strings.Count(strings.Join(said, "\n"), want); n != 1 {
			t.Errorf("%q is said %d times in %q", want, n, said)
		}
	}
	if len(said) != 4 {
		t.Errorf("%d complaints: %q", len(said), said)
	}
	if _, err := check("windows", "abacus"); err == nil {
		t.Error("there is no such architecture")
	}
}

// complaints are those about a module of some files, for a system with integers of 32 bits.
func complaints(t *testing.T, files map[string]string) (said []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	wrong, err := check("windows", "386")
	if err != nil {
		t.Fatal(err)
	}
	return wrong
}
