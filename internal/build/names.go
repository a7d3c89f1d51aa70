package build

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"github.com/ricci-lang/ricci/internal/target/c"
)

// functionName makes a name that C and Go accept of the first that is not empty.
func functionName(names ...string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		name = regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(name, "_")
		if !regexp.MustCompile(`^[A-Za-z]`).MatchString(name) {
			name = "f" + name
		}
		if token.IsKeyword(name) || !c.PublicName(name) {
			name += "_def"
		}
		return name
	}
	return "f"
}

// goNames are what parameters of the function must not be called.
var goNames = map[string]bool{
	"C": true, "Code": true, "ErrOverlap": true, "code": true, "elements": true, "want": true, "errors": true, "fmt": true, "unsafe": true,
	"overlap": true, "len": true, "int": true, "error": true, "nil": true, "bool": true, "_": true,
	"int8": true, "int16": true, "int32": true, "int64": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true,
}

// goName chooses a name that means nothing else in the function.
func goName(name string, taken map[string]bool) string {
	base := strings.NewReplacer("'", "", ".", "_").Replace(name)
	for _, name := range []string{base, strings.ToLower(base), base + "Arg"} {
		if !goNames[name] && !taken[name] && token.IsIdentifier(name) {
			taken[name] = true
			return name
		}
	}
	unique := fmt.Sprintf("arg%d", len(taken))
	taken[unique] = true
	return unique
}

// goPackageName has no underscores, as a file mm_linux.go is for Linux only.
func goPackageName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if token.IsKeyword(name) || name == "main" || name == "parallel" || name == "init" {
		name += "def"
	}
	return name
}

// goFunctionName is MatMul for mat_mul.
func goFunctionName(name string) string {
	function := ""
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			function += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	if goNames[function] || strings.HasPrefix(function, "Err") {
		function += "Def" // what is declared next to it
	}
	return function
}
