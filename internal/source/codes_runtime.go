package source

var runtimeCodes = []CodeInfo{}
