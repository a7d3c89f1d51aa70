package mutate

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// mutable are the places of C that are mutated; "%1" and the like are operands of assembler.
var mutable = regexp.MustCompile(` (?:\+|-|\*|<|>|<=|>=|&|\||<<|>>|==|!=|&&|\|\|) |\b\d{1,3}\b`)

// opposites are the operators of C, and what they become.
var opposites = map[string]string{
	" + ": " - ", " - ": " + ", " * ": " + ", " < ": " <= ", " > ": " >= ", " <= ": " < ", " >= ": " > ", " & ": " | ", " | ": " & ",
	" << ": " >> ", " >> ": " << ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ",
}

// texts mutates a piece of C: an operator, a number.
func texts(w *walker, n ast.Node, found func(candidate)) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING || !w.free(literal) {
		return
	}
	text := constant.StringVal(w.info.Types[literal].Value)
	for _, at := range mutable.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		by, operator := opposites[part]
		if number, err := strconv.Atoi(part); err == nil {
			by = strconv.Itoa(number + 1)
		} else if !operator {
			continue
		}
		line := text[strings.LastIndex(text[:at[0]], "\n")+1:]
		line, _, _ = strings.Cut(line, "\n")
		found(candidate{parts: []ast.Node{literal}, after: fmt.Sprintf("%q for %q in %s", by, part, line),
			pattern: fmt.Sprintf("planted.Replace[%s](@, $0, %d, %q, %q)", w.typeName(literal), at[0], part, by)})
	}
}
