package source

var checkCodes = []CodeInfo{}
