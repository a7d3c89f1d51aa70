package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A completion proposes values to the shell.
type completion = cobra.CompletionFunc

// completeValues registers the completions of flags. An unknown flag is a
// mistake of this program.
func completeValues(cmd *cobra.Command, byFlag map[string]completion) {
	for flag, complete := range byFlag {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(source.Internalf("command line", source.Span{}, "%w", err))
		}
	}
}

func fixed(values []string) completion {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// directories proposes what the shell finds itself.
func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeFiles proposes programs.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var extensions []string
	for _, extension := range notations.Extensions() {
		extensions = append(extensions, strings.TrimPrefix(extension, "."))
	}
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// completeFileAndDef proposes a program, then the defs in it.
func completeFileAndDef(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return completeFiles(cmd, args, typed)
	case 1:
		program, err := ricci.ParseFile(args[0])
		if err != nil {
			break
		}
		var names []string
		for _, d := range program.Defs() {
			names = append(names, d.Name()+"\t"+d.String())
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// defOf returns the def that the words before the cursor name, nil if none.
func defOf(args []string) *ricci.Def {
	if len(args) == 0 {
		return nil
	}
	program, err := ricci.ParseFile(args[0])
	if err != nil {
		return nil
	}
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	def, err := program.Def(name)
	if err != nil {
		return nil
	}
	return def
}

// completeSize proposes "N=" for the sizes of the def.
func completeSize(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	def := defOf(args)
	if def == nil || strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, s := range def.Sizes() {
		words = append(words, s.Name+"=\t"+s.Origin)
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeDynamic proposes the sizes of the def.
func completeDynamic(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	def := defOf(args)
	if def == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, s := range def.Sizes() {
		words = append(words, s.Name+"\t"+s.Origin)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeInput proposes "A=" for the inputs of the def, then the generators and
// array files.
func completeInput(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	def := defOf(args)
	if def == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeAssignment(argument.Needed(def), typed, []string{"random", "random:", "iota", "const:"})
}

// completeOutput proposes "C=" for the outputs of the def, then array files.
func completeOutput(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	def := defOf(args)
	if def == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeAssignment(def.Outputs(), typed, nil)
}

// completeAssignment proposes NAME= and, behind it, words and files: a shell
// completes paths only at the start of a word.
func completeAssignment(params []ricci.Param, typed string, words []string) ([]string, cobra.ShellCompDirective) {
	name, value, hasName := strings.Cut(typed, "=")
	var proposals []string
	if !hasName {
		for _, p := range params {
			proposals = append(proposals, p.Name+"=\t"+p.String())
		}
		return proposals, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	for _, word := range words {
		proposals = append(proposals, name+"="+word)
	}
	paths, err := filepath.Glob(escapeGlob(value) + "*")
	if err != nil {
		paths = nil
	}
	for _, path := range paths {
		if slices.Contains(arrayExtensions, filepath.Ext(path)) {
			proposals = append(proposals, name+"="+path)
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp
}

// arrayExtensions are those of the files that tensors are read from.
var arrayExtensions = tensor.Extensions()

func escapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(text)
}
