package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// How blocks in local memory are swizzled
//
// Rows that are longer than they have to be put the elements of a column into different banks, and so does another order of what is in a row,
// for which nothing is longer: with "swizzle 4*8" unit x of row y, units of 4 elements, lies where unit x ^ y mod 8 would. Items that take a
// column take the same unit of each row, and these lie in different banks. With "swizzle 4*8/2" two rows each have the same order:
// that is for rows which a device reads every second one of at once, or which are half as long as all banks are. Rows have room for whole
// blocks of 4 · 8 elements then. What is copied or read at once stays so if it is no more than a unit.

// A Swizzle is how the units of rows are exchanged.
type Swizzle struct {
	Unit  int64 // elements of a unit
	Units int64 // that are exchanged; 0: none are
	Rows  int64 // that follow each other and have the same order
}

const (
	mostUnit         = 16
	mostUnits        = 64
	mostSwizzledRows = 64
)

// Block is in how many elements units are exchanged.
func (s Swizzle) Block() int64 { return s.Unit * s.Units }

// Row is the room of a row of some elements.
func (s Swizzle) Row(elements int64) int64 {
	if s.Units == 0 {
		return elements
	}
	return (elements + s.Block() - 1) / s.Block() * s.Block()
}

// Place is where an element of a block with rows of so many elements lies.
func (s Swizzle) Place(element, row int64) int64 {
	if s.Units == 0 {
		return element
	}
	return element ^ element/(s.Rows*row)%s.Units*s.Unit
}

// String is how the mark is written behind its word, such as "4*8/2".
func (s Swizzle) String() string {
	if s.Rows == 1 {
		return fmt.Sprintf("%d*%d", s.Unit, s.Units)
	}
	return fmt.Sprintf("%d*%d/%d", s.Unit, s.Units, s.Rows)
}

// parseSwizzle reads what String writes.
func parseSwizzle(text string) (s Swizzle, ok bool) {
	s.Rows = 1
	block, rows, several := strings.Cut(text, "/")
	unit, units, _ := strings.Cut(block, "*")
	for _, n := range []struct {
		to    *int64
		text  string
		least int64
		most  int64
	}{{&s.Unit, unit, 1, mostUnit}, {&s.Units, units, 2, mostUnits}, {&s.Rows, rows, 1, mostSwizzledRows}} {
		if n.to == &s.Rows && !several {
			continue
		}
		v, err := strconv.ParseInt(n.text, 10, 32)
		if *n.to = v; err != nil || v < n.least || v > n.most {
			return s, false
		}
	}
	return s, isPower(s.Unit) && isPower(s.Units)
}

func isPower(n int64) bool { return n&(n-1) == 0 }

var swizzles = markOf[Place]{
	Mark: Mark{form: fmt.Sprintf("u and n are powers of two, u at most %d and n from 2 to %d, and r is a whole number from 1 to %d; without /r it is 1", mostUnit, mostUnits, mostSwizzledRows)},
	arguments: func(p *Place) []string {
		if p.Swizzle.Units == 0 {
			return nil
		}
		return []string{p.Swizzle.String()}
	},
	read: func(p *Place, argument string) (ok bool) {
		p.Swizzle, ok = parseSwizzle(argument)
		return ok
	},
}
