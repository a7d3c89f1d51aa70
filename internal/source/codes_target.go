package source

var targetCodes = []CodeInfo{}
