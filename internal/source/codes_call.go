package source

var callCodes = []CodeInfo{}
