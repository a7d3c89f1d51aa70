package strand

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How the text form works
//
//	strand ray real float32 int int32 {
//	  strings "none"
//	  input steps: int = 100i32 "how far a ray goes"
//	  image img: 2 [3] input from "img.nrrd" "what is drawn"
//	  image red: 2 []
//	    made (img, 0i32) steps (1, 1)
//	    func red { … }
//	  kernel tent 1 { 1 1; 1 -1 }
//	  loaded table: real{} from "table.nrrd"
//	  param r: int
//	  output pos: real[2]
//	  state path: real[2]{}
//	  temp n: int
//	  initialize { … }
//	  create array for i = 0i32 to steps - 1i32, j = 0i32 to 3i32 { … } new (i)
//	  begin { … } start { … } update { … } stabilize { … } global start { … } global update { … }
//	}
//
// Types are elements with the shape of a tensor, the lengths of sequences, and {} for any length.
// pos has the parts pos.0 and pos.1. Expressions are those of package ein.

// Print returns the text of a program; Parse reads it back.
func Print(p *Program) string {
	w := &printer{p: p}
	w.program()
	return w.out.String()
}

// String returns the text form.
func (p *Program) String() string { return Print(p) }

type printer struct {
	p      *Program
	out    strings.Builder
	indent int
}

// line writes a line.
func (w *printer) line(format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", w.indent))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

func (w *printer) program() {
	p := w.p
	w.line("strand %s real %s int %s {", ein.QuoteName(p.Name), p.Real, p.Int)
	w.indent++
	if len(p.Strings) > 0 {
		quoted := make([]string, len(p.Strings))
		for k, text := range p.Strings {
			quoted[k] = strconv.Quote(text)
		}
		w.line("strings %s", strings.Join(quoted, ", "))
	}
	for _, i := range p.Images {
		w.image(i)
	}
	for _, k := range p.Kernels {
		w.kernel(k)
	}
	for _, v := range p.Variables {
		w.variable(v)
	}
	w.named("initialize", p.Initialize)
	w.create()
	w.named("begin", p.Begin)
	w.named("start", p.Start)
	w.named("update", p.Update)
	w.named("stabilize", p.Stabilize)
	w.named("global start", p.GlobalStart)
	w.named("global update", p.GlobalUpdate)
	w.indent--
	w.line("}")
}

func list(open string, numbers []int, end string) string {
	texts := make([]string, len(numbers))
	for k, n := range numbers {
		texts[k] = strconv.Itoa(n)
	}
	return open + strings.Join(texts, ", ") + end
}

// String returns the text form of a type.
func (t Type) String() string {
	text := t.Elem.String()
	if len(t.Shape) > 0 {
		text += list("[", t.Shape, "]")
	}
	for _, n := range t.Fixed {
		text += fmt.Sprintf("{%d}", n)
	}
	if t.Dynamic {
		text += "{}"
	}
	return text
}

func (w *printer) image(i *Image) {
	text := fmt.Sprintf("image %s: %d %s", ein.QuoteName(i.Name), i.Dim, list("[", i.Shape, "]"))
	if i.Input {
		text += " input"
	}
	w.line("%s", text+from(i.File, i.Doc))
	if i.Made != nil {
		w.made(i.Made)
	}
}

// made writes how an image is computed.
func (w *printer) made(m *Made) {
	var args, steps []string
	for _, a := range m.Args {
		if a.Image != nil {
			args = append(args, ein.QuoteName(a.Image.Name))
		} else {
			args = append(args, ein.PrintExpr(a.Number))
		}
	}
	for _, n := range m.Steps {
		steps = append(steps, strconv.FormatInt(n, 10))
	}
	w.indent++
	w.line("made (%s) steps (%s)", strings.Join(args, ", "), strings.Join(steps, ", "))
	for line := range strings.Lines(ein.Print(m.Func)) {
		w.line("%s", strings.TrimRight(line, "\n"))
	}
	w.indent--
}

// from names the file and the documentation of what is given.
func from(file, doc string) string {
	text := ""
	if file != "" {
		text += " from " + strconv.Quote(file)
	}
	if doc != "" {
		text += " " + strconv.Quote(doc)
	}
	return text
}

func (w *printer) kernel(k *Kernel) {
	pieces := make([]string, len(k.Pieces))
	for n, piece := range k.Pieces {
		words := make([]string, len(piece))
		for m, c := range piece {
			words[m] = c.RatString()
		}
		pieces[n] = strings.Join(words, ", ")
	}
	w.line("kernel %s %d { %s }", ein.QuoteName(k.Name), k.Support, strings.Join(pieces, " | "))
}

func (w *printer) variable(v *Variable) {
	word := v.Role.String()
	if v.Output {
		word = "output"
	}
	text := fmt.Sprintf("%s %s: %s", word, ein.QuoteName(v.Name), v.Type)
	if v.Default != nil {
		values := make([]string, len(v.Default))
		for k, c := range v.Default {
			values[k] = ein.PrintExpr(c)
		}
		text += " = " + strings.Join(values, ", ")
	}
	w.line("%s", text+from(v.File, v.Doc))
}

// named writes a block behind its name, unless it is empty.
func (w *printer) named(name string, b Block) {
	if len(b) > 0 {
		w.block(name, b, "}")
	}
}

func (w *printer) block(head string, b Block, end string) {
	w.line("%s {", head)
	w.indent++
	for _, s := range b {
		w.stmt(s)
	}
	w.indent--
	w.line("%s", end)
}

func (w *printer) create() {
	c := w.p.Create
	head := "create array"
	if c.Collection {
		head = "create collection"
	}
	if len(c.Before) > 0 {
		w.block(head+" before", c.Before, "}")
		head = ""
	}
	for k, i := range c.Iterators {
		word := ","
		if k == 0 {
			word = " for"
		}
		head += fmt.Sprintf("%s %s = %s to %s", word, ein.QuoteName(i.Variable.Name), ein.PrintExpr(i.Low), ein.PrintExpr(i.High))
	}
	end := "new (" + exprs(c.Arguments) + ")"
	if len(c.Body) == 0 {
		w.line("%s %s", strings.TrimSpace(head), end)
		return
	}
	w.block(strings.TrimSpace(head), c.Body, "} "+end)
}

func exprs(list []ein.Expr) string {
	texts := make([]string, len(list))
	for k, e := range list {
		texts[k] = ein.PrintExpr(e)
	}
	return strings.Join(texts, ", ")
}
