//go:build unix

package pipelinetest

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// margin is how many bytes stay free on both sides of what lies in pages: an access beyond
// them ends the process.
const margin = 0

// pages are memory between two pages that nobody may read or write.
type pages struct{ all, inside []byte }

// newPages maps pages for at least so many bytes.
func newPages(bytes int) (*pages, error) {
	page := os.Getpagesize()
	inner := max(1, (bytes+page-1)/page) * page
	all, err := unix.Mmap(-1, 0, page+inner+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	p := &pages{all: all, inside: all[page : page+inner]}
	if err := errors.Join(unix.Mprotect(all[:page], unix.PROT_NONE), unix.Mprotect(all[page+inner:], unix.PROT_NONE)); err != nil {
		return nil, errors.Join(err, p.free())
	}
	return p, nil
}

func (p *pages) free() error { return unix.Munmap(p.all) }
