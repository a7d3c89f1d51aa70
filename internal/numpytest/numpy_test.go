package numpytest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/tensor"
)

var (
	python = flag.String("python", "", "a `command` that runs Python with NumPy; empty: nothing is compared with it")
	most   = flag.Int("most", 300, "how many programs are compared")
)

// A compared is a program with its case and what the evaluator says.
type compared struct {
	pipelinetest.Sample
	pipelinetest.Case
	want, bounds map[string]*tensor.Tensor
}

// TestNumPy compares the evaluator, and kernels, with NumPy on programs of the corpus.
func TestNumPy(t *testing.T) {
	if *python == "" {
		t.Skip("not asked for: scripts/test-numpy does")
	}
	directory := t.TempDir()
	cases, text := collect(t, directory)
	script := filepath.Join(directory, "programs.py")
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(*python, script, directory).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	kernels, elements := 0, 0
	for k, c := range cases {
		results := load(t, filepath.Join(directory, fmt.Sprintf("f%d.out.npz", k)))
		elements += c.against(t, "the evaluator", c.want, results)
		if native := c.native(t); native != nil {
			elements += c.against(t, "the kernel", native, results)
			kernels++
		}
	}
	t.Logf("%d programs, %d kernels, %d elements", len(cases), kernels, elements)
	if len(cases) < min(*most, 200) {
		t.Errorf("only %d programs have a counterpart in NumPy", len(cases))
	}
}

// collect draws cases, writes their arguments, and returns them with their programs in Python.
func collect(t *testing.T, directory string) (cases []*compared, text string) {
	var b, table strings.Builder
	b.WriteString(Prelude())
	refused := map[string]int{}
	samples := 0
	err := pipelinetest.Corpus(*most/6, func(sample pipelinetest.Sample) {
		samples++
		c := &compared{Sample: sample}
		c.Case.Func, c.Case.Sizes = sample.Func, sample.Sizes
		if len(cases) == *most && !strings.Contains(sample.File, "/") {
			return
		}
		if !c.DrawArguments(sample.From, 50000) {
			return
		}
		var err error
		if c.want, c.bounds, err = ein.EvaluateWithBounds(sample.Func, c.Args, ein.EvalOptions{Sizes: c.Case.Sizes}); err != nil {
			return
		}
		name := fmt.Sprintf("f%d", len(cases))
		function, err := Function(name, sample.Func, c.Case.Sizes)
		if err != nil {
			refused[err.Error()]++
			return
		}
		save(t, filepath.Join(directory, name+".npz"), c.Args)
		b.WriteString("\n\n# " + sample.Name + "\n" + function)
		fmt.Fprintf(&table, "%q: %s, ", name, name)
		cases = append(cases, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d programs, %d are compared; refused: %v", samples, len(cases), refused)
	fmt.Fprintf(&b, "\n\nmain({%s})\n", table.String())
	return cases, b.String()
}

func save(t *testing.T, path string, arrays map[string]*tensor.Tensor) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.WriteNPZ(f, arrays); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, path string) map[string]*tensor.Tensor {
	z, err := tensor.OpenNPZ(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	arrays := map[string]*tensor.Tensor{}
	for _, name := range z.Names() {
		if arrays[name], err = z.Read(name); err != nil {
			t.Fatal(err)
		}
	}
	return arrays
}

// against compares results with NumPy's, and returns how many elements were compared. Both may be as
// far from the exact value as the bounds say, of which Compare allows twice.
func (c *compared) against(t *testing.T, who string, results, numpy map[string]*tensor.Tensor) (elements int) {
	for _, x := range c.Case.Func.Outputs() {
		got, err := ein.Compare(numpy[x.Name], results[x.Name], c.bounds[x.Name])
		if err != nil {
			t.Errorf("%s, %s: %v", c.Sample.Name, x.Name, err)
			continue
		}
		if !got.OK() {
			t.Errorf("%s: %s of NumPy is not that of %s: %d of %d elements, %v, sizes %v\n%s", c.Sample.Name, x.Name, who, got.Mismatches, got.Elements, got.Worst, c.Case.Sizes, ein.Print(c.Case.Func))
		}
		elements += got.Elements
	}
	return elements
}

// native runs the compiled kernel; nil where there is no compiler.
func (c *compared) native(t *testing.T) map[string]*tensor.Tensor {
	program, err := ricci.Parse(c.File, c.Sample.Text)
	if err != nil {
		t.Errorf("%s: %v", c.Sample.Name, err)
		return nil
	}
	defer program.Close()
	def, err := program.Def(c.Case.Func.Name)
	if err != nil {
		t.Errorf("%s: %v", c.Sample.Name, err)
		return nil
	}
	sizes := map[string]int64{} // that no input determines
	for _, s := range c.Case.Func.Sizes {
		if s.Tensor == nil || s.Tensor.Role == ein.Output {
			sizes[s.Name] = c.Case.Sizes[s.Name]
		}
	}
	results, err := def.RunWith(context.Background(), c.Args, sizes, ricci.Options{})
	if err != nil {
		t.Errorf("%s: %v", c.Sample.Name, err)
		return nil
	}
	return results
}
