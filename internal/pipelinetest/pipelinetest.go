// Package pipelinetest draws programs and schedules and takes them all the way
// from text to native code, in large numbers; the reference evaluator judges.
package pipelinetest

// How it works
//
// A Case is a function of ein with sizes, arguments, strides and a schedule. It
// comes from one of two generators: eintest, which draws every construct of ein,
// and Program in this package, which writes TC text as a user would. Templates of
// programs that the scheduler (family.go) and the passes (theme.go) know come beside them. Prepare
// takes a case through the steps of a compilation (specialise, rewrite, schedule,
// lower, verify). A Batch compiles many prepared cases as one translation unit,
// because starting a compiler costs more than compiling a small kernel, and calls
// each on arguments that lie between guards: a kernel that writes a byte it does
// not own is found out even when the result is right. One call has a page that cannot
// be read behind every argument, another one before it: a kernel that reads what it
// does not own ends the process, and a Witness says which case it was.
//
// A Script is TeML's transformations of all nests of a function, drawn from tables
// (moves.go). Its loops run natively as those of other schedules do, and Judge
// (legality.go) says what is legal without any of the code that decides it.
//
// Everything is drawn from a Choices: pseudo-random numbers for the batches, the
// bytes of the fuzzer for FuzzPipeline, so that a failure is one number or one
// file of the corpus.
