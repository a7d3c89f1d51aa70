package schedule

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func BenchmarkCheck(b *testing.B) {
	archive, err := txtar.ParseFile("standard/testdata/default/sgemm_relu.txtar")
	if err != nil {
		b.Fatal(err)
	}
	f := parseFunc(b, string(archive.Files[0].Data))
	tree, err := Parse(string(archive.Files[1].Data))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Check(f, tree); err != nil {
			b.Fatal(err)
		}
	}
}
