package source

var nameCodes = []CodeInfo{}
