package source

var fileCodes = []CodeInfo{}
