package diderot

// LowerToTheLetter is Lower without the passes.
var LowerToTheLetter = lower
