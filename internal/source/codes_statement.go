package source

var statementCodes = []CodeInfo{}
