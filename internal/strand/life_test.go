package strand_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/strand"
)

const lifeText = `strand cell real float32 int int32 {
  input width: int = 9i32
  input last: int = 6i32
  input seed: int{} = 0i32
  global step: int
  param x: int
  param y: int
  param first: int
  output alive: int
  state pos: real[2]
  temp i: int
  temp j: int
  temp v: int
  temp n: int
  temp near: strand{}
  temp o: strand
  initialize {
    step = 0i32
  }
  create array for i = 0i32 to width - 1i32, j = 0i32 to width - 1i32 {
    element v of seed at i * width + j
  } new (j, i, v)
  begin {
    alive = first
    pos.0 = float32(x)
    pos.1 = float32(y)
  }
  update {
    n = 0i32
    query near radius 1.5f32
    each o in near {
      get v of o state alive
      n = n + v
    }
    alive = n == 3i32 || n == 2i32 && alive == 1i32 ? 1i32 : 0i32
    if step == last - 1i32 {
      stabilize
    }
  }
  global update {
    step = step + 1i32
  }
}
`

// TestLife compares the game of life with a simulation that knows no strands.
func TestLife(t *testing.T) {
	const width = 9
	for seed := range uint64(4) {
		board := make([]int64, width*width)
		for k, n := range shuffled(seed)(len(board)) {
			board[k] = int64(min(1, n%3)) ^ 1
		}
		given := strand.Given{Inputs: map[string]strand.Value{"seed": integers(board...)}}
		p := parse(t, lifeText)
		got := same(t, p, given, 0)
		for range 6 {
			next := make([]int64, len(board))
			for k := range board {
				n := int64(0)
				for other, alive := range board {
					apart := max(abs(k%width-other%width), abs(k/width-other/width))
					if apart == 1 {
						n += alive
					}
				}
				if n == 3 || n == 2 && board[k] == 1 {
					next[k] = 1
				}
			}
			board = next
		}
		w, err := strand.NewWorld(context.Background(), p, given, strand.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		outputs, err := w.Outputs()
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range numbers(t, outputs[0]) {
			if int64(v) != board[k] {
				t.Fatalf("seed %d: cell %d is %v, expected %v\n%s", seed, k, v, board[k], got)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

const sphereText = `strand particle real float32 int int32 {
  input seeds: real[3]{}
  input rad: real = 0.4f32
  global energy: real
  global old: real
  param p: real[3]
  output pos: real[3]
  state mine: real
  output count: int
  temp i: int
  temp n: int
  temp s: real[3]
  temp near: strand{}
  temp o: strand
  temp q: real[3]
  temp f: real[3]
  temp d: real
  temp l: real
  temp e: real
  initialize {
    energy = 0f32
    old = 0f32
  }
  create collection before {
    length n of seeds
  }
  for i = 0i32 to n - 1i32 {
    element s of seeds at i
  } new (s.0, s.1, s.2)
  begin {
    l = sqrt(p.0 * p.0 + p.1 * p.1 + p.2 * p.2)
    pos.0 = p.0 / l
    pos.1 = p.1 / l
    pos.2 = p.2 / l
    mine = 0f32
    count = 0i32
  }
  update {
    f.0 = 0f32
    f.1 = 0f32
    f.2 = 0f32
    e = 0f32
    n = 0i32
    query near radius rad around (pos.0, pos.1, pos.2)
    each o in near {
      get q of o state pos
      d = sqrt((pos.0 - q.0) * (pos.0 - q.0) + (pos.1 - q.1) * (pos.1 - q.1) + (pos.2 - q.2) * (pos.2 - q.2))
      l = (1f32 - d / rad) / d
      e = e + (1f32 - d / rad)
      f.0 = f.0 + l * (pos.0 - q.0)
      f.1 = f.1 + l * (pos.1 - q.1)
      f.2 = f.2 + l * (pos.2 - q.2)
      n = n + 1i32
    }
    count = n
    mine = e
    q.0 = pos.0 + 0.05f32 * f.0
    q.1 = pos.1 + 0.05f32 * f.1
    q.2 = pos.2 + 0.05f32 * f.2
    l = sqrt(q.0 * q.0 + q.1 * q.1 + q.2 * q.2)
    pos.0 = q.0 / l
    pos.1 = q.1 / l
    pos.2 = q.2 / l
    if n > 9i32 {
      die
    }
    if n < 4i32 {
      new (-q.1 - 0.01f32, q.0, q.2 + 0.02f32)
    }
  }
  global update {
    old = energy
    reduce energy by sum over active as o {
      get e of o state mine
    } value e
    count n of active
    print ("energy ", energy, " of ", n, "\n")
  }
}
`

// TestSphere has particles that repel each other, are created where there are few and die where
// there are many: cells find what looking at all finds, bit by bit, and the numbers are deterministic.
func TestSphere(t *testing.T) {
	var seeds []float64
	for k := range 40 {
		z := 1 - (2*float64(k)+1)/40
		seeds = append(seeds, math.Sqrt(1-z*z)*math.Cos(2.4*float64(k)), math.Sqrt(1-z*z)*math.Sin(2.4*float64(k)), z)
	}
	given := strand.Given{Inputs: map[string]strand.Value{"seeds": reals(seeds...)}}
	p := parse(t, sphereText)
	out := same(t, p, given, 12)
	if lines := strings.Count(out, "energy "); lines != 12 || !strings.Contains(out, "no stable strands") {
		t.Errorf("expected 12 lines, and an error of no stable strands, got\n%s", out)
	}
	ctx := context.Background()
	var snapshots [2]string
	for n, brute := range []bool{false, true} {
		w, err := strand.NewWorld(ctx, p, given, strand.Options{BruteForce: brute})
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			if err := w.Step(ctx); err != nil {
				t.Fatal(err)
			}
			outputs, err := w.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range outputs {
				snapshots[n] += fmt.Sprintln(o.Name, o.Kinds, numbers(t, o))
			}
		}
		if w.Count(strand.All) == 40 {
			t.Error("no particle was created or died")
		}
	}
	if snapshots[0] != snapshots[1] {
		t.Error("cells and all strands give different states")
	}
}

// TestQueries asks for points in a box by positions of one to three axes, special ones among them.
func TestQueries(t *testing.T) {
	for dim := 1; dim <= 3; dim++ {
		p := parse(t, queryText(dim))
		var values []float64
		for k, n := range shuffled(uint64(dim))(dim * 60) {
			values = append(values, []float64{float64(n%7) / 4, float64(n) / 50, math.NaN(), math.Inf(1), 1e30, float64(k%3) * 1e-25}[(k*k+n)%41%6])
		}
		for _, radius := range []float64{0, -1, 0.25, 0.5, 1, 3e-25, 1e31, math.Inf(1), math.NaN()} {
			given := strand.Given{Inputs: map[string]strand.Value{"seeds": reals(values...), "rad": reals(radius)}}
			out := same(t, p, given, 0)
			if found := strings.Contains(out, "{"); !found {
				t.Fatal("nothing is printed")
			}
			if radius == 1 && !slices.Contains(strings.Fields(out), "59") && !strings.Contains(out, ",") {
				t.Errorf("%d axes: no strand is near another:\n%s", dim, out)
			}
		}
	}
}

func queryText(dim int) string {
	var begin, parts strings.Builder
	for k := range dim {
		fmt.Fprintf(&begin, "pos.%d = p.%d\n", k, k)
		fmt.Fprintf(&parts, ", s.%d", k)
	}
	return fmt.Sprintf(`strand s real float32 int int32 {
  input seeds: real[%[1]d]{}
  input rad: real
  param k: int
  param p: real[%[1]d]
  state pos: real[%[1]d]
  output id: int
  temp n: int
  temp i: int
  temp s: real[%[1]d]
  temp near: strand{}
  temp o: strand
  temp list: int{}
  create collection before {
    length n of seeds
  }
  for i = 0i32 to n - 1i32 {
    element s of seeds at i
  } new (i%[2]s)
  begin {
    id = k
    %[3]s
  }
  update {
    build list ()
    query near radius rad
    each o in near {
      get n of o state id
      build list (list, [n])
    }
    print (k, " ", list, "\n")
    stabilize
  }
}
`, dim, parts.String(), begin.String())
}
