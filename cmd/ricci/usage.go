package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/source"
)

// oneOf refuses a value of a flag that is not in the list.
func oneOf(flag, value string, values []string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return usagef("%s %s: expected one of %s%s", flag, value, strings.Join(values, ", "), source.DidYouMean(value, values))
}

// checkNames refuses flags that name no argument of the def.
func checkNames[V any](kind, flag string, def *ricci.Def, params []ricci.Param, given map[string]V) error {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	for _, name := range sortedKeys(given) {
		switch {
		case slices.Contains(names, name):
		case len(names) == 0:
			return usagef("%s %s: %s has no %ss", flag, name, def.Name(), kind)
		default:
			return usagef("%s %s: %s has no such %s; its %ss are %s%s",
				flag, name, def.Name(), kind, kind, strings.Join(names, ", "), source.DidYouMean(name, names))
		}
	}
	return nil
}

// checkSizes refuses -s flags that name no size of the def.
func checkSizes(def *ricci.Def, given map[string]int64) error {
	params := sizeParams(def)
	for _, p := range argument.Needed(def) {
		if _, isInput := given[p.Name]; isInput && !p.Size && !slices.ContainsFunc(params, func(s ricci.Param) bool { return s.Name == p.Name }) {
			return usagef("-s %s=%d: %s is an input of %s, not a size; give it as an input: -i %s=%d", p.Name, given[p.Name], p.Name, def.Name(), p.Name, given[p.Name])
		}
	}
	return checkNames("size", "-s", def, params, given)
}

// checkDynamic refuses names of --dynamic that are no sizes of the def.
func checkDynamic(def *ricci.Def, names []string) error {
	given := map[string]bool{}
	for _, name := range names {
		given[name] = true
	}
	return checkNames("size", "--dynamic", def, sizeParams(def), given)
}

// sizeParams lists the sizes of a def in the form of checkNames.
func sizeParams(def *ricci.Def) []ricci.Param {
	var params []ricci.Param
	for _, s := range def.Sizes() {
		params = append(params, ricci.Param{Name: s.Name})
	}
	return params
}

// flagValues says, by the type of a flag, what its value looks like.
var flagValues = map[string]string{
	"int": "a whole number", "uint64": "a whole number that is not negative", "float64": "a number", "intSlice": "whole numbers, such as 1,2",
	"duration": "a time with its unit, such as 30s or 5m", "bool": "true or false",
}

// flagError adds to cobra's complaint about a flag what was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		if expected, ok := flagValues[value.GetFlag().Value.Type()]; ok {
			if name := value.GetFlag().Name; name == "time" && cmd.Flags().Lookup("runs") != nil {
				expected += "; a number of runs stands behind --runs"
			}
			return usagef("--%s %s: expected %s", value.GetFlag().Name, value.GetValue(), expected)
		}
	}
	word, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usageError{error: err, seeHelp: true}
	}
	if word == "version" && !cmd.HasParent() {
		return formErrorf("%w; the version is printed by: ricci version", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := source.Suggest(word, names); near != "" {
		return formErrorf("%w; did you mean --%s?", err, near)
	}
	return usageError{error: err, seeHelp: true}
}

// listFlags are the flags of which several values may follow one another.
const listFlags = `^(-[iso]|--input|--size|--output)$`

// isAssignment reports whether an argument of the command has the form NAME=….
func isAssignment(arg string) bool { return regexp.MustCompile(`^\w+=.`).MatchString(arg) }

// spreadLists lets several values follow one flag: -s M=3 N=4 is read as
// -s M=3 -s N=4. Neither a def nor, as a rule, a file has the form NAME=….
func spreadLists(args []string) []string {
	isList := regexp.MustCompile(listFlags)
	var spread []string
	flag := ""
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(spread, args[i:]...)
		case arg == "--snapshot" && i+1 < len(args) && isInteger(args[i+1]): // whose value may be missing
			i++
			spread, flag = append(spread, arg+"="+args[i]), ""
		case isList.MatchString(arg) && i+1 < len(args):
			flag = arg
			spread = append(spread, arg, args[i+1])
			i++
		case flag != "" && isAssignment(arg):
			spread = append(spread, flag, arg)
		default:
			flag = ""
			spread = append(spread, arg)
		}
	}
	return spread
}
