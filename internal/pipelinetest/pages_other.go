//go:build !unix

package pipelinetest

import (
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// margin is how many bytes stay free on both sides of what lies in pages. The widest vector
// store must not reach over them.
const margin = 128

// pages are plain memory where there are no pages that fault.
type pages struct {
	owner  *tensor.Tensor
	inside []byte
}

// newPages allocates at least so many bytes.
func newPages(bytes int) (*pages, error) {
	owner, err := tensor.New(tensor.Uint8, bytes)
	if err != nil {
		return nil, err
	}
	return &pages{owner: owner, inside: unsafe.Slice((*byte)(owner.Pointer()), bytes)}, nil
}

func (p *pages) free() error { return p.owner.Close() }
