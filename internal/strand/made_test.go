package strand_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

const madeText = `strand s real float32 int int32 {
  image img: 1 [] input
  image g: 1 []
    made (img, 2f32) steps (2)
    func twice {
      size N = dim 0 of X
      in X: float32[N]
      in a: float32[]
      out Y: float32[N]
      for i in 0:N {
        Y[i] = a[] * X[i]
      }
    }
  temp k: int
  output id: int
  create array for k = 0i32 to 1i32 new ()
  begin {
    id = 0i32
  }
  update {
    stabilize
  }
}
`

// TestMade: texts of programs with images that functions compute are read back, and what such an image is made of has to fit.
func TestMade(t *testing.T) {
	parse(t, madeText)
	for _, c := range [][2]string{{"(img, 2f32)", "(g, 2f32)"}, {"(img, 2f32)", "(img)"}, {"2f32", "2f64"}, {"(img, 2f32)", "(2f32, img)"}, {"steps (2)", "steps (2, 1)"}} {
		p, err := strand.Parse(source.NewFile("program", strings.Replace(madeText, c[0], c[1], 1)))
		if err != nil {
			continue
		}
		if err := strand.Verify(p); err == nil {
			t.Errorf("%s for %s is a program", c[1], c[0])
		}
	}
}
