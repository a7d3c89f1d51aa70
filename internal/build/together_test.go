package build_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTogether: one library has the functions of several defs, each with its descriptor and its sizes, and so has one C source.
func TestTogether(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	program, err := ricci.Parse("two of them.tc", `
def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }
def product(float(N) x) -> (float(N,M) y) { y(i,j) = x(i) * float(j) }`)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paths, err := program.Build(t.Context(), nil, ricci.BuildOptions{Emit: ricci.EmitSO, Sizes: map[string]int64{"M": 3}, Dir: dir})
	if err != nil || len(paths) != 2 || filepath.Base(paths[0]) != "two_of_them.so" || filepath.Base(paths[1]) != "two_of_them.h" {
		t.Fatal(paths, err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	library, err := host.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.Must(tensor.FromSlice([]float32{1, 2}, 2))
	for _, row := range []struct {
		name  string
		shape []int
		want  string
	}{{"twice", []int{2}, "[2. 4.]"}, {"product", []int{2, 3}, "[[0. 1. 2.]\n [0. 2. 4.]]"}} {
		y := tensor.Must(tensor.New(tensor.Float32, row.shape...))
		f, err := library.Function("ricci_call_" + row.name)
		if err != nil {
			t.Fatal(err)
		}
		if code, message := callOn(f, []*tensor.Tensor{x, y}, nil); code != 0 || y.String() != row.want {
			t.Errorf("%s: %d %s, %s", row.name, code, message, y)
		}
		for _, other := range []string{"ricci_describe_", "ricci_shapes_", "__tvm_ffi_", "ricci_xla_", ""} {
			if _, err := library.Function(other + row.name); err != nil {
				t.Error(err)
			}
		}
		if text := descriptionIn(t, data, row.name); !json.Valid([]byte(text)) {
			t.Errorf("the descriptor of %s is %q", row.name, text)
		}
	}
	if paths, err = program.Build(t.Context(), []string{"product", "twice"}, ricci.BuildOptions{Dir: dir, Name: "both"}); err != nil || filepath.Base(paths[0]) != "both.c" {
		t.Fatal(paths, err)
	}
	if out, err := exec.Command("gcc", "-Wall", "-Werror", "-fsyntax-only", paths[0]).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// descriptionIn finds the descriptor of a def among the bytes of a library.
func descriptionIn(t *testing.T, library []byte, name string) string {
	t.Helper()
	text := string(library)
	at := strings.Index(text, `{"abi":1,"name":"`+name+`"`)
	if at < 0 {
		return ""
	}
	text, _, _ = strings.Cut(text[at:], "\x00")
	return text
}

// TestTogetherRefused: nothing is written where something is wrong.
// TestMachineOfCard: schedules for a card's machine have groups of items, which no library for the processor can say.
func TestMachineOfCard(t *testing.T) {
	program, err := ricci.Parse("f.tc", "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }")
	if err != nil {
		t.Fatal(err)
	}
	card, known := ricci.MachineText("a100")
	if !known {
		t.Fatal("there is no machine a100")
	}
	for _, emit := range []ricci.Emit{ricci.EmitC, ricci.EmitSO, ricci.EmitGo} {
		def, err := program.Def("f")
		if err != nil {
			t.Fatal(err)
		}
		options := ricci.BuildOptions{Emit: emit, Dir: t.TempDir(), Options: ricci.Options{Machine: card}}
		if paths, err := def.Build(t.Context(), options); err == nil || !strings.Contains(err.Error(), "E0741") || !strings.Contains(err.Error(), "grid") {
			t.Errorf("%s: %v, %v", emit, paths, err)
		}
	}
}

func TestTogetherRefused(t *testing.T) {
	program, err := ricci.Parse("f.tc", "def f(float(N) x) -> (y) { y(i) = 2 * x(i) }")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		defs []string
		emit ricci.Emit
		want string
	}{{nil, ricci.EmitGo, "several defs together"}, {nil, "x", "several defs together"}, {[]string{"f", "g"}, ricci.EmitSO, "no def"}} {
		dir := t.TempDir()
		if paths, err := program.Build(t.Context(), row.defs, ricci.BuildOptions{Emit: row.emit, Dir: dir}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: %v, %v", row, paths, err)
		}
		if list, _ := os.ReadDir(dir); len(list) > 0 {
			t.Errorf("%+v leaves %v", row, list)
		}
	}
}
