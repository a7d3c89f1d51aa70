// Package bench measures Ricci beside the best libraries, naive C and the limit of the machine, and
// draws where a kernel stands: what is behind "ricci bench" and "ricci roofline".
package bench

// How it works
//
// A Row is a program at given sizes (suite.go and suite_*.go have them all). Its contestants
// (contestant.go) are Ricci, what a reader would write in C, and the libraries that are found
// (peer.go), called by C texts that are compiled for the row. Each of them is a process of its own
// that waits for requests (process.go and worker.go): so they share no threads, no heap and no fate,
// and those that wait sleep.
//
// Run takes the rows one by one. All contestants are brought to their first call, and their results
// compared with the median of all: who is wrong has no time. Then they run in turn, round after
// round, each a batch of calls of a few milliseconds; between the rounds another process measures
// the peaks of the machine on which the limit of the row depends. What slows the machine down for a
// while so slows down all, and the limit, too. A row's result is the median of each contestant
// with its spread, ratios to the best, and the floor: operations over the measured peak, or bytes
// over the measured bandwidth, whichever takes longer (work.go).
//
// Results are kept as JSON, and written as tables, charts and comparisons of two runs
// (table.go, chart.go and compare.go).
