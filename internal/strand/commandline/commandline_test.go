package commandline_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand/commandline"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/tensor"
)

const program = `strand s real float32 int int32 {
  strings "none"
  image img: 2 input from "in/small.nrrd" "an image"
  image vol: 3 input
  input n: int = 4i32 "number of strands"
  input flip: bool = false "reverse the ids"
  input w: real = 2.4f32
  input name: string = 0i32 "label"
  input eye: real[3]
  input m: real[3, 3] = 1f32, 0f32, 0f32, 0f32, 1f32, 0f32, 0f32, 0f32, 1f32
  input fix: real{2} = 0.5f32, 0.25f32
  input ids: int{} from "in/ints.nrrd"
  temp k: int
  param i: int
  output id: int
  output path: real[2]{}
  create array for k = 0i32 to n new (k)
  begin { id = i build path () }
  update { stabilize }
}`

func line(t *testing.T, text string, snapshot bool) *commandline.Line {
	t.Helper()
	l, err := commandline.New(strandtest.Parse(t, text), commandline.Settings{Snapshot: snapshot, Name: "s"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestParse reads command lines that the original takes, and refuses what it refuses.
func TestParse(t *testing.T) {
	const needed = "-vol v.nrrd -eye 0 0 0 "
	for _, row := range []struct {
		words, want string
	}{
		{needed, "limit 0 every 0 print - id=id.nrrd path=path | id path |"},
		{needed + "-l 9 -s 6 -sp-path deep/p --output-id out.nrrd -o-path dir/p -print log", "limit 9 every 6 print log id=out.nrrd path=dir/p | id deep/p |"},
		{needed + "--limit 3 --snapshot 2 --snapshot-prefix-id a --nworkers 2 -v -t", "limit 3 every 2 print - id=id.nrrd path=path | a path | verbose timing"},
		{needed + "-eye -1 -2.5 -3e4 -flip true -name -x -m 1 2 3 4 5 6 7 8 9 -ids -", "limit 0 every 0 print - id=id.nrrd path=path | id path | eye=[-1 -2.5 -3e4] flip=[true] ids=[-] m=[1 2 3 4 5 6 7 8 9] name=[-x]"},
		{needed + "-n 5 -n 7", "limit 0 every 0 print - id=id.nrrd path=path | id path | n=[7]"},
		{"--help", "help"},
		{"-l 3 -h nonsense", "help"},
		{"", `didn't get required "-eye" option; didn't get required "-vol" option`},
		{"-vol v.nrrd -eye 1 2", "-eye takes 3 values, found 2"},
		{"-vol -eye 1 2 3", `-vol takes a value, found 0; didn't get required "-vol" option`},
		{needed + "-eyes 1 2 3", `"-eyes" is no flag of the program: did you mean -eye?`},
		{needed + "7", `"7" is no flag of the program: --help lists the flags`},
		{needed + "-l -1", `-l takes a whole number that is not negative, found "-1"`},
		{needed + "-l many", `-l takes a whole number that is not negative, found "many"`},
	} {
		r, err := line(t, program, true).Parse(strings.Fields(row.words))
		if got := say(r, err); got != row.want && !strings.HasPrefix(got, row.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", row.words, got, row.want)
		}
	}
	_, err := line(t, program, false).Parse(strings.Fields(needed + "-s 3"))
	if got := say(nil, err); !strings.Contains(got, "ricci run FILE --snapshot -- -s") {
		t.Error(got)
	}
}

// say writes a request, or what is wrong.
func say(r *commandline.Request, err error) string {
	var list source.ErrorList
	if errors.As(err, &list) {
		var texts []string
		for _, d := range list {
			if strings.HasPrefix(d.Message, "\"") {
				d.Message += ": " + d.Help
			}
			texts = append(texts, d.Message)
		}
		return strings.Join(texts, "; ")
	}
	if r.Help {
		return "help"
	}
	text := fmt.Sprintf("limit %d every %d print %s", r.Limit, r.Every, r.Print)
	for _, name := range []string{"id", "path"} {
		text += " " + name + "=" + r.Outputs[name]
	}
	text += " | " + r.Snapshots["id"] + " " + r.Snapshots["path"] + " |"
	if r.Verbose {
		text += " verbose"
	}
	if r.Timing {
		text += " timing"
	}
	delete(r.Values, "vol")
	if slices.Equal(r.Values["eye"], []string{"0", "0", "0"}) {
		delete(r.Values, "eye")
	}
	for _, name := range []string{"eye", "flip", "ids", "m", "n", "name"} {
		if words, given := r.Values[name]; given {
			text += fmt.Sprintf(" %s=%v", name, words)
		}
	}
	return text
}

// TestCollisions has inputs with the names of other flags.
func TestCollisions(t *testing.T) {
	for _, name := range []string{"h", "l", "v", "t", "print", "s", "sp", "o", "q", "n"} {
		for _, snapshot := range []bool{false, true} {
			text := strings.Replace(program, "input w:", "input "+name+":", 1)
			if name == "n" {
				text = program
			}
			_, err := commandline.New(strandtest.Parse(t, text), commandline.Settings{Snapshot: snapshot})
			refused := slices.Contains([]string{"h", "l", "v", "t", "print"}, name) || snapshot && name == "s"
			var d *source.Diagnostic
			if got := errors.As(err, &d); got != refused || got && (d.Code != source.StrandFlagName || !d.Span.IsValid()) {
				t.Errorf("%s, snapshots %v: %v", name, snapshot, err)
			}
		}
	}
	text := strings.Replace(program, "output path", "state path", 1)
	for name, refused := range map[string]bool{"o": true, "sp": true, "w": false} {
		_, err := commandline.New(strandtest.Parse(t, strings.Replace(text, "input w:", "input "+name+":", 1)), commandline.Settings{Snapshot: true})
		if (err != nil) != refused {
			t.Errorf("%s, one output: %v", name, err)
		}
	}
}

// TestWorkers has -n where no input has the name.
func TestWorkers(t *testing.T) {
	l := line(t, strings.NewReplacer("input n:", "input count:", "to n new", "to count new").Replace(program), false)
	for _, words := range []string{"-n 3", "--nworkers 3"} {
		if r, err := l.Parse(strings.Fields(words + " -vol v -eye 0 0 0")); err != nil || r.Workers != 3 {
			t.Errorf("%s: %+v, %v", words, r, err)
		}
	}
	// An image that is an input has it, a state does not.
	l = line(t, strings.NewReplacer("input n:", "input count:", "to n new", "to count new", "image vol:", "image n:").Replace(program), false)
	if r, err := l.Parse(strings.Fields("-n v -eye 0 0 0")); err != nil || r.Workers != 0 || r.Values["n"][0] != "v" {
		t.Errorf("an image: %+v, %v", r, err)
	}
	l = line(t, strings.NewReplacer("input n:", "input count:", "to n new", "to count new", "temp k: int", "temp k: int state n: int", "{ id = i", "{ n = 0i32 id = i").Replace(program), false)
	if r, err := l.Parse(strings.Fields("-n 3 -vol v -eye 0 0 0")); err != nil || r.Workers != 3 {
		t.Errorf("a state: %+v, %v", r, err)
	}
}

// TestOneOutput has flags without the name of the output.
func TestOneOutput(t *testing.T) {
	text := strings.Replace(program, "output path", "state path", 1)
	l := line(t, text, true)
	r, err := l.Parse(strings.Fields("-vol v -eye 0 0 0 -o a.nrrd -sp b"))
	if err != nil || r.Outputs["id"] != "a.nrrd" || r.Snapshots["id"] != "b" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := l.Parse(strings.Fields("-vol v -eye 0 0 0 -o-id a.nrrd")); err == nil {
		t.Error("-o-id is taken where there is one output")
	}
}

func TestUsage(t *testing.T) {
	var b strings.Builder
	line(t, program, true).Usage(&b)
	goldentest.Text(t, "testdata/usage.txt", b.String())
}

// TestGive gives a program what words say.
func TestGive(t *testing.T) {
	p := strandtest.Parse(t, program)
	l := line(t, program, false)
	open := func(path string) (*tensor.Image, error) {
		if filepath.Base(path) == "two.nrrd" {
			data, err := tensor.FromSlice([]float32{1, 2}, 2)
			return tensor.NewImage(data), err
		}
		extents := []int{2, 2, 2}
		if filepath.Base(path) == "small.nrrd" {
			extents = extents[1:]
		}
		data, err := tensor.New(tensor.Float32, extents...)
		return tensor.NewImage(data), err
	}
	for _, row := range []struct{ words, want string }{
		{"-vol v -eye 1 2 3 -ids two.nrrd -m 1 2 3 4 5 6 7 8 9 -flip true -name x -n 7", "[{0 1} {0 2} {0 3}] [{1 0} {2 0}] 9 [{1 0}]x[{7 0}]"},
		{"-vol v -eye 1 2 3 -ids two.nrrd -flip yes", `-flip takes values of type bool, found "yes"`},
		{"-vol v -eye 1 2 3 -ids two.nrrd -n 3000000000", `-n takes values of type int, found "3000000000"`},
		{"-vol v -eye 1 2 c -ids two.nrrd -n 1.5", `-n takes values of type int, found "1.5"; -eye takes values of type real, found "c"`},
	} {
		inputs := session.NewInputs(p, "", open)
		r, err := l.Parse(strings.Fields(row.words))
		if err != nil {
			t.Fatal(err)
		}
		err = l.Give(r, inputs)
		given, missing := inputs.Given()
		got := fmt.Sprint(given.Inputs["eye"].Numbers, given.Inputs["ids"].Numbers, len(given.Inputs["m"].Numbers), given.Inputs["flip"].Numbers, given.Inputs["name"].Text, given.Inputs["n"].Numbers)
		var list source.ErrorList
		if errors.As(err, &list) {
			var texts []string
			for _, d := range list {
				texts = append(texts, d.Message)
			}
			got = strings.Join(texts, "; ")
		} else if err != nil || missing != nil {
			t.Error(err, missing)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", row.words, diff)
		}
	}
}
