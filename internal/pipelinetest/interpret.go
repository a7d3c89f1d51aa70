package pipelinetest

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop"
)

// Interpret runs a prepared case of dense arrays in the evaluator of loops, and judges it on its
// numbers and on whole ones.
func (c *Case) Interpret() error {
	if err := c.interpret(); err != nil {
		return err
	}
	whole, err := c.Whole()
	if err != nil || whole == nil {
		return err
	}
	if err := whole.interpret(); err != nil {
		return fmt.Errorf("on whole numbers: %w", err)
	}
	return nil
}

func (c *Case) interpret() error {
	arrays, err := c.Arrays(Behind)
	if err != nil {
		return err
	}
	var words []loop.Word
	for _, p := range c.Loop.Params {
		if p.Buffer == nil {
			words = append(words, loop.Word{Value: c.Sizes[p.Var.Name]})
			continue
		}
		a := arrays[p.Buffer.Name].Array
		words = append(words, loop.Word{Bytes: unsafe.Slice((*byte)(a.Pointer()), a.Len()*a.DType().Size())})
	}
	fault, err := loop.Evaluate(c.Loop, words)
	runtime.KeepAlive(arrays)
	if err == nil {
		err = c.Judge(arrays, fault != nil)
	}
	for _, a := range arrays {
		err = errors.Join(err, a.Close())
	}
	return err
}
