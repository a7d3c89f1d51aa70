// Command ctext writes a hash of the C text, of the loops and of the schedule of the benchmark's rows and of the examples' test sizes.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	ricci "github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/machine"
)

const fixed = `` // a machine of its own: the host's speeds must not matter

func main() {
	out, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	defer w.Flush()
	texts := os.Getenv("CTEXT_DIR")
	for _, level := range []string{"avx512vnni", "avx2", "amx", "neon"} {
		for i, row := range bench.Suite() {
			if f := os.Getenv("FILTER"); f != "" && !strings.Contains(level+" "+row.Name, f) { continue }
			if level != "avx512vnni" && i%3 != 0 {
				continue
			}
			p, err := ricci.Parse(row.File, row.Text)
			if err != nil {
				fmt.Fprintln(w, level, row.Name, "parse", err)
				continue
			}
			def, _ := p.Def(row.Def)
			if def == nil {
				fmt.Fprintln(w, level, row.Name, "no def")
				continue
			}
			for _, stage := range []ricci.Stage{ricci.StageSchedule, ricci.StageC} {
				o := ricci.Options{Level: level, Untuned: true, NoCache: true, Threads: 2}
				text, err := def.Stage(context.Background(), stage, row.Sizes, o)
				if err != nil {
					text = err.Error()
				}
				fmt.Fprintf(w, "%s %s %s %x\n", level, row.Name, stage, sha256.Sum256([]byte(text)))
				if texts != "" {
					os.WriteFile(fmt.Sprintf("%s/%s_%s.%s", texts, level, strings.ReplaceAll(row.Name, "/", "_"), stage), []byte(text), 0o644)
				}
			}
		}
	}
	_ = machine.Names
}
