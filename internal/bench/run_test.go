package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/device/measure"
)

// workerVariable makes the test program a worker.
const workerVariable = "RICCI_BENCH_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Setenv(workerVariable, "1") // for the children only: it is read above
	os.Exit(m.Run())
}

func testOptions(t *testing.T, rows ...Row) Options {
	t.Helper()
	if _, err := host.Find(t.Context()); err != nil {
		t.Skip(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Rows: rows, Threads: []int{1, 2}, Runs: 2, Worker: []string{program}, CacheDir: t.TempDir(), Meter: measure.Options{MemoryBytes: 8 << 20, Burst: 20 * time.Microsecond}}
}

func testRow(peers map[string]string) Row {
	return Row{
		Name: "product", Group: "g", File: "t.tc", Def: "mm", Sizes: map[string]int64{"M": 8, "N": 9, "K": 10},
		Text:  "def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
		Peers: peers,
	}
}

// TestRun measures a tiny row with everybody who is there: peers that are not, or
// that cannot do it, say why.
func TestRun(t *testing.T) {
	o := testOptions(t, testRow(gemm{m: 8, n: 9, k: 10}.texts()))
	o.Peers = true
	// In-outs have the same values at each start.
	o.Rows = append(o.Rows, Row{Name: "inout", Group: "g", File: "t.tc", Def: "f", Sizes: map[string]int64{"N": 50}, Text: "def f(float(N) x) -> (float(N) y) { y(i) = y(i) * 2 + x(i) }"})
	first := testRow(nil)
	first.Name, first.First, first.Goal = "first", Cached, Goal{Seconds: 1e6}
	o.Rows = append(o.Rows, first)
	results, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(results.Rows) != 6 || results.Peaks == nil || len(results.Peers) != len(peers()) {
		t.Fatalf("%+v", results)
	}
	for _, row := range results.Rows {
		if row.Name == "product" && (row.Operations != 2*8*9*10 || row.Bytes != 4*(8*10+10*9+8*9)) || row.Name != "first" && row.Floor <= 0 || row.missed() != "" {
			t.Errorf("%+v", row)
		}
		for _, m := range row.Times {
			own := m.Ricci || m.Naive
			if own && (!m.ok() || m.Runs < 2) || m.Wrong != "" {
				t.Errorf("%s, %d threads: %+v", m.Candidate, row.Threads, m)
			}
			if !own && !m.ok() && !strings.Contains(m.Missing, errMissing.Error()) {
				t.Errorf("%s, %d threads fails: %s", m.Candidate, row.Threads, m.Missing)
			}
		}
	}
}

// TestBadPeers runs shims that compute something else, that refuse, and that die.
func TestBadPeers(t *testing.T) {
	head := typeText(false)
	for _, test := range []struct{ name, text, want string }{
		{"wrong", head + "int run(const i64 *args) { for (int i = 0; i < 72; i++) P(2)[i] = 3; return 0; }", "that of most others"},
		{"refuses", head + "int setup(const i64 *args) { return 77; }\nint run(const i64 *args) { return 0; }", "not available"},
		{"fails", head + "int run(const i64 *args) { return 5; }", "status 5"},
		{"dies", head + "int run(const i64 *args) { __builtin_trap(); }", "process of the candidate ended"},
		{"does not compile", head + "int run(", "not available"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := testOptions(t, testRow(nil))
			r := &runner{Options: o, children: map[string]*child{}}
			defer r.stop()
			row := &o.Rows[0]
			w, err := newWork(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			list := r.contestants(row, 1)
			bad := &contestant{name: "bad", job: &job{}}
			*bad.job = *list[0].job
			bad.job.Kind, bad.job.Shim = shimKind, test.text
			list = append(list, bad)
			for _, c := range list {
				if err := r.prepare(t.Context(), c, w); err != nil {
					t.Fatal(err)
				}
			}
			compareElements(present(list), w)
			for _, c := range list[:len(list)-1] {
				if c.result.Wrong != "" || c.result.Missing != "" {
					t.Errorf("%s: %+v", c.name, c.result)
				}
			}
			if got := bad.result.Missing + bad.result.Wrong; !strings.Contains(got, test.want) {
				t.Errorf("it says %q, expected %q", got, test.want)
			}
		})
	}
}

// TestInterrupted ends a run of hours: what was measured is there at once.
func TestInterrupted(t *testing.T) {
	o := testOptions(t, testRow(nil), testRow(nil))
	o.Rows[1].Name, o.Runs, o.Threads = "again", 0, []int{1}
	ctx, cancel := context.WithCancel(t.Context())
	o.Time = 10 * time.Millisecond
	o.Finished = func(*Results) { cancel() }
	results, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) || len(results.Rows) != 1 {
		t.Errorf("%v, %d rows", err, len(results.Rows))
	}
}
