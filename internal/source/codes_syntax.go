package source

var syntaxCodes = []CodeInfo{}
