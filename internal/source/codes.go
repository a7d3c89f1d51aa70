package source

import "sort"

// A Code names a kind of diagnostic for ever: codes are added, never renumbered.
// `ricci explain CODE` prints its entry of the table, and the error index of the
// documentation is generated from it.
type Code string

// CodeInfo documents one code.
type CodeInfo struct {
	Code        Code
	Title       string // a short sentence
	Explanation string // why it is wrong, in plain words
	Example     string // a program that has the error; empty where no program can show it
	Fix         string // the same program, mended, or what to do
}

// codeTables is the union of the tables in codes_*.go, one per stage:
// E01xx scanning and parsing, E02xx names and types, E03xx ranges,
// E04xx statements and in-place updates, E05xx calls and imports,
// E06xx call time (shapes, values), E07xx schedules and code generation,
// E08xx files and arrays, E09xx test blocks and command line, E10xx MDH, E11xx TeIL (E115x the guard), E12xx TeML,
// E13xx Diderot, E14xx worlds of strands.
func codeTables() [][]CodeInfo {
	return [][]CodeInfo{syntaxCodes, nameCodes, rangeCodes, statementCodes, adviceCodes, callCodes, runtimeCodes, targetCodes, machineCodes, deviceCodes, fileCodes, checkCodes, mdhCodes, teilCodes, guardCodes, temlCodes, diderotCodes, diderotCheckCodes, strandCodes}
}

// Codes returns the whole table, sorted by code.
func Codes() []CodeInfo {
	var all []CodeInfo
	for _, table := range codeTables() {
		all = append(all, table...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return all
}

// Lookup finds the entry of a code.
func Lookup(code Code) (CodeInfo, bool) {
	for _, table := range codeTables() {
		for _, info := range table {
			if info.Code == code {
				return info, true
			}
		}
	}
	return CodeInfo{}, false
}
