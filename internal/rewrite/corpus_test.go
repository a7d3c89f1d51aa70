package rewrite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestPassesOfTheCorpus records which passes change the functions of the corpus, and what becomes of
// them. A pass that sees fewer opportunities makes kernels slow and breaks no other test.
func TestPassesOfTheCorpus(t *testing.T) {
	var out strings.Builder
	err := pipelinetest.Corpus(14, func(sample pipelinetest.Sample) {
		one := &pipelinetest.Case{Func: sample.Func, Sizes: sample.Sizes}
		if !one.DrawArguments(sample.From, 20000) {
			return
		}
		f, err := one.Func.Specialise(one.Sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		var changed []string
		for _, pass := range append(rewrite.Passes(numerics.Default), rewrite.Pass{Name: "coalesce", Run: dense}) {
			g := pass.Run(f)
			if ein.Print(g) != ein.Print(f) {
				changed = append(changed, pass.Name)
			}
			f = g
		}
		fmt.Fprintf(&out, "%s: %s\n", sample.Name, strings.Join(changed, ", "))
		for _, c := range f.Body {
			fmt.Fprintf(&out, "  %s\n", shapeOf(c))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Text(t, "testdata/passes.txt", out.String())
}

func dense(f *ein.Func) *ein.Func {
	return rewrite.Coalesce(f, func(*ein.Tensor) bool { return true })
}

// shapeOf writes the extents of a statement's indices, and counts what a point of it does.
func shapeOf(c *ein.Comprehension) string {
	var b strings.Builder
	for _, w := range c.Writes {
		fmt.Fprintf(&b, "%s %s ", w.Tensor.Name, w.Tensor.Type)
	}
	for _, i := range c.Indices {
		fmt.Fprintf(&b, "%s", [...]string{"×", "+", "→"}[min(int(i.Combine.Kind), 2)])
		if i.Min.String() != "0" {
			fmt.Fprintf(&b, "%s:", i.Min)
		}
		b.WriteString(i.Extent.String())
	}
	if c.Accumulate != nil {
		b.WriteString(" accumulates")
	}
	counts := map[string]int{}
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.Access:
				counts["read "+e.Tensor.Name]++
			case *ein.Binary:
				counts[e.Op.String()+" "+e.Type().String()]++
			case *ein.Cast:
				counts["to "+e.Type().String()]++
			case *ein.Call:
				counts[e.Func.Name]++
			case *ein.Select:
				counts["select"]++
			case *ein.Let:
				counts["let"]++
			}
			return true
		})
	}
	var words []string
	for word, n := range counts {
		words = append(words, fmt.Sprintf("%d %s", n, word))
	}
	slices.Sort(words)
	return b.String() + ": " + strings.Join(words, ", ")
}
