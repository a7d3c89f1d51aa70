package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tune"
)

// TestMain is a service, or measures for one, where a test has started it as such.
func TestMain(m *testing.M) {
	tune.ServeIfWorker()
	if os.Getenv("RICCI_TEST_SERVES") != "" {
		if err := Run(context.Background(), os.Stdin, os.Stdout, Options{Version: "test"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// An answer is a line of the output.
type answer struct {
	ID     any             `json:"id"`
	Event  string          `json:"event"`
	Result json.RawMessage `json:"result"`
	Error  *Failure        `json:"error"`
}

// answers reads lines, each of which must be one object.
func answers(t testing.TB, text string) (list []answer) {
	t.Helper()
	for line := range strings.Lines(text) {
		var a answer
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&a); err != nil || d.More() || !strings.HasSuffix(line, "}\n") {
			t.Fatalf("the line %q is no answer: %v", line, err)
		}
		if a.Event == "" && (a.Result == nil) == (a.Error == nil) {
			t.Fatalf("the line %q has not one of result and error", line)
		}
		list = append(list, a)
	}
	return list
}

// said runs a session on a text.
func saidTo(t testing.TB, text string) []answer {
	t.Helper()
	var out bytes.Buffer
	if err := Run(t.Context(), strings.NewReader(text), &out, Options{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return answers(t, out.String())
}

const double = `"program": {"text": "def f(float(N) x) -> (y) { y(i) = 2 * x(i) }"}`

// FuzzRun: every line that is not empty has one answer, whatever it says.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		`{"id": 1, "method": "version"}`, `{"id": 1, "method": "check", "params": {` + double + `}}`, "nonsense\n\n{}\n[]\n\"\"\n0",
		`{"id": 1, "method": "show", "params": {` + double + `, "stage": "loop", "sizes": {"N": 3}}}`,
		`{"id": 1, "method": "run", "params": {` + double + `, "inputs": {"x": {"shape": [1], "data": "AACAPw=="}}, "options": {"device": "evaluator"}}}`,
		`{"id": 1, "method": "world", "params": {` + roots + `, "inputs": {"n": {"shape": [], "dtype": "int8", "data": "Aw=="}}, "options": {"device": "evaluator"}}}`,
		`{"id": 1, "method": "advance", "params": {"world": 1}}` + "\n" + `{"id": 2, "method": "close", "params": {"world": -1}}`,
		`{"id": 1e400, "method": "version"}`, `{"id": 1.5}`, `{"id": {}, "method": "version"}`, `{"id": null}`, `{"id": 1, "id": 2, "method": "cancel", "params": {"request": 1}}`,
		`{"id": 1, "method": "show", "params": {` + double + `, "arguments": {"x": {"shape": [9223372036854775807, 9223372036854775807]}}}}`,
		`{"id": 1, "method": "run", "params": {` + double + `, "inputs": {"x": {"shape": [1099511627776], "data": ""}}}}`,
		`{"id": 1, "method": "explain", "params": null} {"id": 2}`, "{\"id\": \"\\ud800\x00\", \"method\": \"version\"}", strings.Repeat("[", 20000),
	} {
		f.Add([]byte(seed))
	}
	f.Setenv(cache.Variable, f.TempDir())
	f.Setenv("RICCI_CC", "none")
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("path")) || bytes.Contains(text, []byte(`"tune`)) || bytes.Contains(text, []byte(`\u`)) {
			t.Skip("it may write files, or take a minute")
		}
		lines := 0
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		if list := saidTo(t, string(text)); len(list) != lines {
			t.Errorf("%d lines have %d answers: %+v", lines, len(list), list)
		}
	})
}

// TestWrongTypes: what has another type than it should is said in the words of JSON.
func TestWrongTypes(t *testing.T) {
	for line, want := range map[string]string{
		`[]`:                     "this is no request: found a list, expected an object",
		`42`:                     "this is no request: found a number, expected an object",
		`{"id": 1, "method": 7}`: "this is no request: method: found a number, expected a text",
		`{"id": 1, "method": "version", "params": []}`:                                  "params: found a list, expected an object",
		`{"id": 1, "method": "show", "params": {"sizes": {"N": 1.5}}}`:                  "params: sizes: found 1.5, expected a whole number of int64",
		`{"id": 1, "method": "compile", "params": {"arguments": {"x": {"shape": {}}}}}`: "params: shape: found an object, expected a list",
		`{"id": 1, "method": "tune", "params": {"fresh": "yes"}}`:                       "params: fresh: found a text, expected true or false",
	} {
		if list := saidTo(t, line); len(list) != 1 || list[0].Error == nil || list[0].Error.Message != want {
			t.Errorf("%s: %+v, expected %s", line, list[0].Error, want)
		}
	}
}

// TestManyAtOnce: requests of all methods side by side; ids come back as they were.
func TestManyAtOnce(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	var text strings.Builder
	const count = 200
	for i := range count {
		fmt.Fprintf(&text, `{"id": %d, "method": "check", "params": {%s}}`+"\n", i, double)
	}
	seen := map[float64]bool{}
	for _, a := range saidTo(t, text.String()) {
		id, _ := a.ID.(float64)
		if a.Error != nil || seen[id] {
			t.Errorf("%+v, error %+v", a, a.Error)
		}
		seen[id] = true
	}
	if len(seen) != count {
		t.Errorf("%d of %d requests were answered", len(seen), count)
	}
}

// TestTooLong: a request that is too long is refused, and the next one answered.
func TestTooLong(t *testing.T) {
	long := io.LimitReader(zeros{}, lineLimit+1)
	var out bytes.Buffer
	if err := Run(t.Context(), io.MultiReader(long, strings.NewReader("\n{\"id\": 2, \"method\": \"version\"}")), &out, Options{}); err != nil {
		t.Fatal(err)
	}
	list := answers(t, out.String())
	if len(list) != 2 || list[0].ID != nil || list[0].Error == nil || list[0].Error.Kind != ofRequest || list[1].ID != 2.0 || list[1].Error != nil {
		t.Errorf("the answers are %+v", list)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A conversation is a session that a test talks to.
type conversation struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func converse(t *testing.T) *conversation {
	t.Setenv(cache.Variable, t.TempDir())
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &conversation{t: t, in: inWrite, out: bufio.NewReader(outRead), done: make(chan error, 1)}
	go func() {
		err := Run(t.Context(), inRead, outWrite, Options{Version: "test"})
		c.done <- errors.Join(err, outWrite.Close())
	}()
	return c
}

func (c *conversation) ask(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conversation) next() answer {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return answers(c.t, line)[0]
}

// TestCancel: a request is cancelled while it runs, others are answered meanwhile, and its id is free again.
func TestCancel(t *testing.T) {
	c := converse(t)
	slow := `{"id": "slow", "method": "run", "params": {"program": {"text": "def mm(float(N,N) A) -> (C) { C(i,j) +=! A(i,k) * A(k,j) }"}, ` +
		`"inputs": {"A": {"path": "` + big(t) + `", "shape": [3000, 3000]}}, "options": {"device": "evaluator"}}}`
	c.ask(slow)
	c.ask(`{"id": "other", "method": "version"}`)
	if a := c.next(); a.ID != "other" || a.Error != nil {
		t.Fatalf("the first answer is %+v", a)
	}
	c.ask(slow)
	if a := c.next(); a.Error == nil || !strings.Contains(a.Error.Message, "is in progress") {
		t.Errorf("a second request with the id has the answer %+v", a)
	}
	begin := time.Now()
	c.ask(`{"id": 3, "method": "cancel", "params": {"request": "slow"}}`)
	for range 2 {
		switch a := c.next(); {
		case a.ID == 3.0 && string(a.Result) == `{"cancelled":true}`:
		case a.ID == "slow" && a.Error != nil && a.Error.Kind == cancelled:
		default:
			t.Errorf("an answer is %+v, error %+v", a, a.Error)
		}
	}
	if passed := time.Since(begin); passed > grace+10*time.Second {
		t.Errorf("the answers took %v", passed)
	}
	c.ask(`{"id": "slow", "method": "version"}`)
	if a := c.next(); a.ID != "slow" || a.Error != nil {
		t.Errorf("the answer is %+v", a)
	}
	c.in.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

// big is a file of zeros for a large array; it takes no place on the disk.
func big(t *testing.T) string {
	file, err := os.CreateTemp(t.TempDir(), "zeros")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(3000*3000*4), file.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// TestLostOutput: a session ends when nobody reads its answers.
func TestLostOutput(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	inRead, inWrite := io.Pipe()
	defer inWrite.Close()
	done := make(chan error, 1)
	lost := errors.New("nobody reads")
	go func() { done <- Run(t.Context(), inRead, failing{lost}, Options{}) }()
	if _, err := io.WriteString(inWrite, "{\"id\": 1, \"method\": \"version\"}\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if !errors.Is(err, lost) {
			t.Errorf("the session ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the session goes on")
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// TestKilled: services that share a cache and are killed while they compile leave it in order: the next one gives libraries that are whole.
func TestKilled(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	dir := t.TempDir()
	start := func() (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
		service := exec.Command(os.Args[0])
		service.Env = append(os.Environ(), "RICCI_TEST_SERVES=1", cache.Variable+"="+dir)
		in, err := service.StdinPipe()
		out, outErr := service.StdoutPipe()
		if err := errors.Join(err, outErr, service.Start()); err != nil {
			t.Fatal(err)
		}
		return service, in, bufio.NewReader(out)
	}
	request := `{"id": 1, "method": "compile", "params": {` + double + `, "arguments": {"x": {"shape": [5]}}}}` + "\n"
	for i := range 3 {
		service, in, _ := start()
		if _, err := io.WriteString(in, request); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+60*i) * time.Millisecond)
		_ = service.Process.Kill()
		_ = service.Wait()
	}
	first, firstIn, firstOut := start()
	second, secondIn, secondOut := start()
	for _, in := range []io.WriteCloser{firstIn, secondIn} {
		if _, err := io.WriteString(in, request); err != nil {
			t.Fatal(err)
		}
	}
	for _, out := range []*bufio.Reader{firstOut, secondOut} {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		a := answers(t, line)[0]
		var made struct{ Libraries []string }
		if a.Error != nil || json.Unmarshal(a.Result, &made) != nil || len(made.Libraries) != 2 {
			t.Fatalf("the answer is %s", line)
		}
		for _, path := range made.Libraries {
			if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("\x7fELF")) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	firstIn.Close()
	secondIn.Close()
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Error(err)
	}
}

// TestTune: a search says how it goes, keeps what it has found when it is cancelled, and later requests are answered with it.
func TestTune(t *testing.T) {
	if !sweep.Long(t) {
		t.Skip("it takes seconds")
	}
	c := converse(t)
	params := `"params": {"program": {"text": "def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }"}, "arguments": {"A": {"shape": [64, 32]}, "B": {"shape": [32, 16]}}`
	c.ask(`{"id": 1, "method": "tune", ` + params + `, "seconds": 600}}`)
	events := 0
	for a := c.next(); ; a = c.next() {
		if a.Event == "progress" {
			if events++; events == 1 {
				c.ask(`{"id": 2, "method": "cancel", "params": {"request": 1}}`)
			}
			continue
		}
		if a.ID == 2.0 {
			continue
		}
		var found struct {
			Schedule         string
			Seconds, Default float64
		}
		if a.ID != 1.0 || a.Error != nil || json.Unmarshal(a.Result, &found) != nil || found.Schedule == "" || found.Seconds > found.Default {
			t.Errorf("the answer is %+v, error %+v", a, a.Error)
		}
		break
	}
	c.in.Close()
	if err := <-c.done; err != nil || events == 0 {
		t.Errorf("%d events, %v", events, err)
	}
}
