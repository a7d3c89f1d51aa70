package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// chain is a function whose statements write and read the buffers of a list each.
func chain(buffers []*loop.Buffer, uses [][]int) *loop.Func {
	f := &loop.Func{Name: "chain", Buffers: buffers}
	for _, list := range uses {
		var body []loop.Stmt
		for _, b := range list {
			body = append(body, &loop.Store{Buffer: buffers[b], Index: loop.Int(0), Value: &loop.Const{Elem: tensor.Float32}})
		}
		f.Body = append(f.Body, &loop.If{Cond: &loop.Const{Elem: tensor.Bool, Bits: 1}, Then: body})
	}
	return f
}

// TestShareWorkspace: the verifier takes what was shared, whatever is in use when, and the workspace is as large as what is
// in use at once at least, and as all of it at most.
func TestShareWorkspace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var buffers []*loop.Buffer
		sum, kept := int64(0), int64(0)
		for n := range rapid.IntRange(1, 8).Draw(t, "buffers") {
			b := &loop.Buffer{Name: fmt.Sprintf("b%d", n), Type: loop.Scalar(tensor.Float32), Region: loop.Workspace, Length: rapid.Int64Range(1, 100).Draw(t, "length")}
			b.Kept = rapid.IntRange(0, 4).Draw(t, "kept") == 0
			bytes := (b.Length*4 + 63) / 64 * 64
			if sum += bytes; b.Kept {
				kept += bytes
			}
			buffers = append(buffers, b)
		}
		uses := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, len(buffers)-1), 0, 3), 1, 8).Draw(t, "uses")
		f := chain(buffers, uses)
		loop.ShareWorkspace(f)
		if err := loop.Verify(f); err != nil {
			t.Fatal(err)
		}
		if f.Workspace > sum || f.Workspace < kept {
			t.Fatalf("a workspace of %d for buffers of %d bytes, of which %d are kept", f.Workspace, sum, kept)
		}
	})
}

// TestShared: two buffers have the same bytes if neither occurs while the other is in use, and only then.
func TestShared(t *testing.T) {
	cases := []struct {
		uses [][]int
		kept bool
		want int64
	}{
		{[][]int{{0}, {0}, {1}, {1}}, false, 64},
		{[][]int{{0}, {0, 1}, {1}}, false, 128},
		{[][]int{{0}, {1}, {0}}, false, 128},
		{[][]int{{0}, {1}}, true, 128},
		{[][]int{{0}, {0, 1}, {1, 2}, {2, 0}}, false, 192},
		{[][]int{{0}, {0, 1}, {1, 2}, {2}}, false, 128},
	}
	for _, c := range cases {
		buffers := make([]*loop.Buffer, 1+slices.Max(slices.Concat(c.uses...)))
		for n := range buffers {
			buffers[n] = &loop.Buffer{Name: fmt.Sprintf("b%d", n), Type: loop.Scalar(tensor.Float32), Region: loop.Workspace, Length: 16}
		}
		buffers[0].Kept = c.kept
		f := chain(buffers, c.uses)
		if loop.ShareWorkspace(f); f.Workspace != c.want {
			t.Errorf("%v: a workspace of %d bytes, want %d", c.uses, f.Workspace, c.want)
		}
		if c.want == 64 {
			continue
		}
		for _, b := range buffers {
			b.Offset = 0
		}
		if err := loop.Verify(f); err == nil || !strings.Contains(err.Error(), "share bytes") {
			t.Errorf("%v in the same bytes: %v", c.uses, err)
		}
	}
}

// TestThreadBuffers: what a thread has for itself lies behind what is around it, beside what is not, and the verifier
// sees where it does not.
func TestThreadBuffers(t *testing.T) {
	f, err := loop.Parse(source.NewFile("test", `kernel "f" workspace 128 {
  buffer w float32[20] workspace at 0
  buffer a float32[20] thread at 0
  buffer b float32[3] thread at 0
  buffer c float32[40] thread at 0
  parallel i = 0 .. 8 step 1 {
    alloc a {
      alloc b {
        store a[i] = float32(1)
        store b[0] = a[i]
      }
      alloc c {
        store c[i] = a[i]
        store w[i] = c[i]
      }
    }
  }
}
`))
	if err != nil {
		t.Fatal(err)
	}
	loop.ShareWorkspace(f)
	const head = loop.OwnHead
	if a, b, c := f.Buffers[1], f.Buffers[2], f.Buffers[3]; a.Offset != head || b.Offset != head+128 || c.Offset != head+128 || f.Own != head+128+192 {
		t.Errorf("buffers at %d, %d and %d of %d bytes", a.Offset, b.Offset, c.Offset, f.Own)
	}
	text := loop.Print(f)
	if again, err := loop.Parse(source.NewFile("again", text)); err != nil || loop.Print(again) != text {
		t.Errorf("%v: it is read as something else:\n%s", err, text)
	}
	if err := loop.Verify(f); err != nil {
		t.Error(err)
	}
	if bytes, err := f.WorkspaceBytes(nil, 3); err != nil || bytes != 128+3*f.Own {
		t.Errorf("%v: three threads take %d bytes", err, bytes)
	}
	for name, spoil := range map[string]func(){
		"share bytes of a thread": func() { f.Buffers[2].Offset = head },
		"that a thread has":       func() { f.Own -= 64 },
		"takes bytes [0":          func() { f.Buffers[1].Offset = 0 },
	} {
		loop.ShareWorkspace(f)
		spoil()
		if err := loop.Verify(f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
