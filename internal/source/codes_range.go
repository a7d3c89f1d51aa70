package source

var rangeCodes = []CodeInfo{}
