package strand_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/strand"
)

// TestDrawnWorlds draws programs whose strands look at each other, are born and die, and lets them run in every
// order, by brute force, step by step, and to their ends at once: what they print and leave is the same.
func TestDrawnWorlds(t *testing.T) {
	runs, stable, born := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := &world{t: t, collection: rapid.Bool().Draw(t, "collection"), dim: rapid.IntRange(1, 3).Draw(t, "dim")}
		text := d.program()
		got := same(t, parse(t, text), strand.Given{}, rapid.SampledFrom([]int{0, 3}).Draw(t, "limit"))
		if t.Failed() {
			t.Log(text)
		}
		runs++
		if !strings.Contains(got, "no stable strands") {
			stable++
		}
		if strings.Contains(text, "new (i * 2i32") {
			born++
		}
	})
	if stable*3 < runs || born == 0 {
		t.Errorf("of %d programs %d have outputs, %d create strands", runs, stable, born)
	}
}

// A world is a program that is drawn as a text.
type world struct {
	t          *rapid.T
	collection bool
	dim        int
}

func (d *world) pick(label string, list ...string) string {
	return rapid.SampledFrom(list).Draw(d.t, label)
}

func (d *world) sometimes(label, text string) string { return d.pick(label, text, "") }

// pos is a coordinate of the position.
func (d *world) pos(k int) string {
	if d.dim == 1 {
		return "pos"
	}
	return fmt.Sprintf("pos.%d", k)
}

func (d *world) program() string {
	kind, shape, place, move := "array", "", "", ""
	if d.collection {
		kind = "collection"
	}
	if d.dim > 1 {
		shape = fmt.Sprintf("[%d]", d.dim)
	}
	for k := range d.dim {
		place += fmt.Sprintf("%s = float32(i * %di32 %% 7i32) * 0.5f32\n", d.pos(k), k+1)
		move += fmt.Sprintf("%s = %s + %s\n", d.pos(k), d.pos(k), d.pick("move", "0.25f32", "float32(many) * 0.125f32", "0f32 - x * 0.5f32", "g"))
	}
	return fmt.Sprintf(`strand s real float32 int int32 {
  strings "a", "b"
  input limit: int = %si32
  global g: real
  global total: int
  param i: int
  output pos: real%s
  output age: int
  output seen: int{}
  state x: real
  temp k: int
  temp many: int
  temp id: int
  temp flag: bool
  temp r: real
  temp near: strand{}
  temp o: strand
  initialize { g = 0.5f32 total = 0i32 }
  create %s for k = 0i32 to %si32 new (k)
  begin { age = 0i32 x = float32(i) build seen () %s }
  %s
  update {
    many = 0i32
    r = 0f32
    query near radius %s %s
    each o in near {
      get id of o state age
      get r of o state x
      %s
      many = many + 1i32
      %s
    }
    count id of %s
    age = age + 1i32
    %s
    %s
    %s
    %s
    if age > limit + i %% 3i32 { %s }
  }
  %s
  %s
}`, d.pick("limit", "0", "1", "2", "4"), shape, kind, d.pick("strands", "0", "3", "9", "20"), place,
		d.sometimes("start", "start { x = x + 1f32 "+d.sometimes("early", "if i == 2i32 { stabilize }")+" }"),
		d.pick("radius", "1.25f32", "x * 0.25f32", "0f32", "0f32 - 1f32", "g + 1f32", "100f32"), d.around(),
		d.sometimes("fold", "x = x + r * 0.125f32"), d.sometimes("seen", "build seen (seen, [id + many])"),
		d.pick("set", "active", "stable", "all"), d.sometimes("counted", "x = x + float32(id)"), move, d.sometimes("print", `print ("strand ", i, " ", x, " ", seen, "\n")`),
		d.life(), d.pick("end", "stabilize", "stabilize", d.death()), d.sometimes("stabilize", `stabilize { x = x + 0.5f32 build seen ([i]) }`), d.global())
}

func (d *world) around() string {
	var list []string
	for range d.dim {
		list = append(list, d.pick("center", "1f32", "x", "g"))
	}
	return d.sometimes("around", "around ("+strings.Join(list, ", ")+")")
}

// death ends a strand, which those of an array must not do.
func (d *world) death() string {
	if d.collection {
		return "die"
	}
	return "stabilize"
}

// life creates strands and ends them.
func (d *world) life() string {
	if !d.collection {
		return d.sometimes("continue", "if many > 3i32 && age < 6i32 { continue }")
	}
	return d.sometimes("new", "if i < 9i32 && age == 1i32 { new (i * 2i32 + 1i32) }") + "\n" + d.sometimes("die", "if many > 2i32 && i % 2i32 == 0i32 { die }")
}

// global folds over the strands, and may end all of them.
func (d *world) global() string {
	if d.pick("global", "yes", "no") == "no" {
		return ""
	}
	return fmt.Sprintf(`global update {
    reduce g by %s over %s as o { get r of o state x } value r * 0.25f32
    reduce id by %s over %s as o { get id of o state age } value id
    reduce flag by %s over all as o { get r of o state x } value r > 1f32
    total = total + id
    print ("world ", g, " ", total, " ", flag, "\n")
    %s
  }`, d.pick("fold", "sum", "product", "min", "max", "mean", "variance"), d.pick("of", "active", "stable", "all"),
		d.pick("whole", "sum", "product", "min", "max"), d.pick("of", "active", "all"), d.pick("truth", "all", "exists"),
		d.pick("all end", "", "if total > 9i32 { all stabilize }", "if total > 30i32 { all "+d.death()+" }"))
}
