package diderot_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/lang/diderot"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// TestJudged compares what drawn programs without fields compute with what their typed trees mean, bit by bit.
func TestJudged(t *testing.T) {
	judged, faults, runs := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := &drawer{t: t, noFields: true}
		program := d.program()
		numbers := diderot.Numbers{Double: true, LongInt: d.below(2) == 0}
		p, err := diderot.Lower(program, numbers)
		if err != nil {
			t.Fatal(err)
		}
		given := strand.Given{Images: map[string]*strand.ImageData{"img": polynomial(p.Images[0])}}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		result, failure := strand.Evaluate(ctx, p, given, 5, strand.Options{})
		runs++
		var want [3][]string
		for number := range want {
			j := &judge{longInt: numbers.LongInt}
			switch err := j.strand(program, int64(number)); {
			case err == errUnknown:
				return
			case err == errElement && failure == nil:
				t.Fatalf("strand %d reads an element that is not there, and nobody says so:\n%s", number, strand.Print(p))
			case err == errElement:
				faults++
				return
			}
			for _, v := range program.Strand.State {
				if v.Output {
					want[number] = append(want[number], fmt.Sprint(flattened(j.env[v])))
				}
			}
		}
		if failure != nil {
			t.Fatalf("%v\n%s", failure, strand.Print(p))
		}
		judged++
		for number := range want {
			if got := outputsOf(t, p, result.Outputs, number); !slices.Equal(got, want[number]) {
				t.Fatalf("strand %d has %v, expected %v\n%s", number, got, want[number], strand.Print(p))
			}
		}
	})
	t.Logf("%d of %d programs were compared, %d have faults", judged, runs, faults)
	if judged*2 < runs {
		t.Error("less than half of the programs were judged")
	}
}

// flattened are the numbers of a value; all that are no numbers are one. Zeros have no sign: operators of tensors obey the laws
// of real numbers (docs/ein.md), by which 0·(−2) is 0.
func flattened(x any) []float64 {
	list := []float64{}
	switch x := x.(type) {
	case bool:
		if x {
			return []float64{1}
		}
		return []float64{0}
	case int64:
		return []float64{float64(x)}
	case []float64:
		for _, number := range x {
			list = append(list, number+0)
		}
	case []any:
		for _, element := range x {
			list = append(list, flattened(element)...)
		}
	}
	return list
}

// outputsOf are the numbers of all outputs of one strand.
func outputsOf(t *rapid.T, p *strand.Program, outputs []*strand.Output, number int) (list []string) {
	numbers := func(o *strand.Output) []float64 {
		wide, err := o.Data.Convert(tensor.Float64)
		if err != nil {
			t.Fatal(err)
		}
		values, err := tensor.ToSlice[float64](wide)
		if err != nil {
			t.Fatal(err)
		}
		for n := range values {
			values[n] += 0 // as in flattened
		}
		return values
	}
	for _, v := range p.Outputs() {
		data, from, count := numbers(outputs[0]), number*v.Type.Width(), v.Type.Width()
		if outputs = outputs[1:]; v.Type.Dynamic {
			from, count = int(data[2*number])*v.Type.Width(), int(data[2*number+1])*v.Type.Width()
			data, outputs = numbers(outputs[0]), outputs[1:]
		}
		list = append(list, fmt.Sprint(data[from:from+count]))
	}
	return list
}

// A judge computes what a typed tree means, by walking over it: no scalars, no blocks, no inlining. Values
// are bool, int64, string, []float64 for tensors, row by row, and []any for sequences.
type judge struct {
	env     map[*typed.Variable]any
	longInt bool
}

// What ends the judgement: an element that is not there, and what the judge does not know.
var (
	errElement = fmt.Errorf("an element outside of a sequence")
	errUnknown = fmt.Errorf("not judged")
)

// strand computes the states of a strand after its update, or says why not.
func (j *judge) strand(p *typed.Program, number int64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			var ok bool
			if err, ok = r.(error); !ok || err != errElement && err != errUnknown {
				panic(r)
			}
		}
	}()
	j.env = map[*typed.Variable]any{p.Strand.Params[0]: number}
	for _, v := range p.Variables {
		if v.Value != nil && v.Type.Kind != typed.Field {
			j.env[v] = j.expr(v.Value)
		}
	}
	for _, v := range p.Strand.State {
		j.env[v] = j.expr(v.Value)
	}
	j.stmts(p.Strand.Update.Stmts)
	return nil
}

// stmts runs statements, and returns the value of a return, or nil.
func (j *judge) stmts(list []typed.Stmt) any {
	for _, s := range list {
		if x := j.stmt(s); x != nil {
			return x
		}
	}
	return nil
}

func (j *judge) stmt(s typed.Stmt) any {
	switch s := s.(type) {
	case *typed.Block:
		return j.stmts(s.Stmts)
	case *typed.Declare:
		if s.Variable.Value != nil {
			j.env[s.Variable] = j.expr(s.Variable.Value)
		}
	case *typed.Assign:
		j.env[s.To] = j.expr(s.Value)
	case *typed.If:
		if j.expr(s.Cond).(bool) {
			return j.stmts(s.Then.Stmts)
		}
		return j.stmts(s.Else.Stmts)
	case *typed.Foreach:
		for _, x := range j.expr(s.Each.In).([]any) {
			j.env[s.Each.Variable] = x
			if r := j.stmts(s.Body.Stmts); r != nil {
				return r
			}
		}
	case *typed.Print:
		for _, a := range s.Args {
			j.expr(a)
		}
	case *typed.Return:
		return j.expr(s.Value)
	}
	return nil
}

func (j *judge) expr(e typed.Expr) any {
	switch e := e.(type) {
	case *typed.Literal:
		return map[typed.Kind]any{typed.Bool: e.Value.Bool, typed.Int: e.Value.Int, typed.String: e.Value.Text, typed.Tensor: []float64{e.Value.Real}}[e.T.Kind]
	case *typed.Ref:
		return j.env[e.Variable]
	case *typed.Coerce:
		x := j.expr(e.X)
		if e.How == typed.ToReal {
			return []float64{float64(x.(int64))}
		}
		return x
	case *typed.Conditional:
		if j.expr(e.Cond).(bool) {
			return j.expr(e.Then)
		}
		return j.expr(e.Else)
	case *typed.Call:
		return j.call(e)
	case *typed.NaN:
		return []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	case *typed.Construct:
		var all []float64
		for _, x := range e.Elements {
			all = append(all, j.expr(x).([]float64)...)
		}
		return all
	case *typed.Slice:
		x := j.expr(e.X).([]float64)
		if len(e.At) == 1 {
			return []float64{x[e.At[0]]}
		}
		return []float64{x[e.At[1]], x[2+e.At[1]]} // the draws are t[:, k]
	case *typed.Apply:
		return j.apply(e)
	}
	return j.sequence(e)
}

func (j *judge) call(e *typed.Call) any {
	args := make([]any, len(e.Args))
	for k, a := range e.Args {
		args[k] = j.expr(a)
	}
	for k, p := range e.Function.Params {
		j.env[p] = args[k]
	}
	return j.stmts(e.Function.Body.Stmts)
}

func (j *judge) sequence(e typed.Expr) any {
	switch e := e.(type) {
	case *typed.Subscript:
		x, at := j.expr(e.X).([]any), j.expr(e.At).(int64)
		if at < 0 || at >= int64(len(x)) {
			panic(errElement)
		}
		return x[at]
	case *typed.Sequenced:
		list := []any{}
		for _, x := range e.Elements {
			list = append(list, j.expr(x))
		}
		return list
	case *typed.Range:
		list := []any{}
		for k := j.expr(e.Low).(int64); k <= j.expr(e.High).(int64); k++ {
			list = append(list, k)
		}
		return list
	case *typed.Comprehension:
		return j.each(e.Each, e.Body)
	case *typed.Reduce:
		return j.fold(e.Row.With, e.T, j.each(e.Each, e.Body))
	}
	panic(errUnknown)
}

func (j *judge) each(each *typed.Each, body typed.Expr) []any {
	list := []any{}
	for _, x := range j.expr(each.In).([]any) {
		j.env[each.Variable] = x
		list = append(list, j.expr(body))
	}
	return list
}

func (j *judge) fold(name string, t *typed.Type, list []any) any {
	switch name {
	case "all", "exists":
		for _, x := range list {
			if x.(bool) != (name == "all") {
				return name != "all"
			}
		}
		return name == "all"
	case "mean", "product":
		total := map[string]float64{"product": 1}[name]
		for _, x := range list {
			if name == "mean" {
				total += x.([]float64)[0]
			} else {
				total *= x.([]float64)[0]
			}
		}
		if name == "mean" {
			total /= float64(len(list))
		}
		return []float64{total}
	case "max":
		most := int64(math.MinInt64)
		if !j.longInt {
			most = math.MinInt32
		}
		for _, x := range list {
			most = max(most, x.(int64))
		}
		return most
	}
	total := int64(0)
	for _, x := range list {
		total = j.wrap(total + x.(int64))
	}
	return total
}

// wrap is an int as the program has it.
func (j *judge) wrap(n int64) int64 {
	if j.longInt {
		return n
	}
	return int64(int32(n))
}
