package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// dash stands for the standard input where a file is read, and for the standard output where
// one is written.
const dash = "-"

// inputFiles is what the help of verbs that read programs says of FILE.
const inputFiles = "FILE is - for the standard input; --notation says in which notation that is."

// registerNotation gives the flag --notation to the verbs that read programs.
func (t *terminal) registerNotation(root *cobra.Command) {
	names := notationNames()
	for _, verb := range root.Commands() {
		if strings.Contains(verb.Use, "FILE") {
			verb.Flags().StringVar(&t.notation, "notation", names[0], "how a program on the standard input is written: "+strings.Join(names, ", "))
			completeValues(verb, map[string]completion{"notation": fixed(names)})
		}
	}
}

// readFile reads a file, or the standard input.
func (t *terminal) readFile(path string) (string, error) {
	if path != dash {
		text, err := bounded.ReadFile(path, bounded.Text)
		return string(text), err
	}
	if err := t.takeInput(); err != nil {
		return "", err
	}
	text, err := bounded.ReadAll(t.in, "the standard input", bounded.Text)
	return string(text), err
}

// takeInput refuses to read the standard input twice: the second reader would find nothing.
func (t *terminal) takeInput() error {
	if t.inputTaken {
		return usagef("-: the standard input can be read once; name a file for the others")
	}
	t.inputTaken = true
	return nil
}

// notationNames are the values of --notation: the extensions without their dot.
func notationNames() []string {
	names := notations.Extensions()
	for n := range names {
		names[n] = names[n][1:]
	}
	return names
}

// nameOf is what the file of a program is called in messages, with the extension of its notation.
func (t *terminal) nameOf(path string) (string, error) {
	if path == dash {
		path = "stdin." + t.notation
		if _, known := notations.Lookup("." + t.notation); !known {
			return "", oneOf("--notation", t.notation, notationNames())
		}
	}
	_, err := notations.For(path)
	return path, err
}

// readProgram reads the text of a program.
func (t *terminal) readProgram(path string) (*source.File, error) {
	name, err := t.nameOf(path)
	if err != nil {
		return nil, err
	}
	text, err := t.readFile(path)
	if err != nil {
		return nil, err
	}
	file := source.NewFile(name, text)
	if d := source.CheckText(file); d != nil {
		return nil, source.ErrorList{d}
	}
	return file, nil
}

// parse checks the program in a file.
func (t *terminal) parse(path string) (*ricci.Program, error) {
	if path != dash {
		program, err := t.programs.ParseFile(path)
		if near := argument.Neighbour(path); errors.Is(err, fs.ErrNotExist) && near != "" {
			return nil, fmt.Errorf("there is no file %s; did you mean %s?", path, near)
		}
		return program, err
	}
	file, err := t.readProgram(path)
	if err != nil {
		return nil, err
	}
	return t.programs.Parse(file.Name, file.Text)
}

// readArray reads an array from the standard input.
func (t *terminal) readArray() (*tensor.Tensor, error) {
	m, err := t.readImage()
	if err != nil {
		return nil, err
	}
	return m.Tensor, nil
}

// readImage reads an image from the standard input, which tells by its first bytes what it is.
func (t *terminal) readImage() (*tensor.Image, error) {
	if err := t.takeInput(); err != nil {
		return nil, err
	}
	return tensor.ReadImage(t.in)
}

// openImage reads the image of a file, or of the standard input.
func (t *terminal) openImage(path string) (*tensor.Image, error) {
	if path == dash {
		return t.readImage()
	}
	m, err := tensor.OpenImage(path)
	if near := argument.Neighbour(path); errors.Is(err, fs.ErrNotExist) && near != "" {
		return nil, fmt.Errorf("there is no file %s; did you mean %s?", path, near)
	}
	return m, err
}

// writeOutput writes a file that a flag names, or the standard output.
func (t *terminal) writeOutput(path string, content []byte) error {
	if path == dash {
		_, err := t.out.Write(content)
		return err
	}
	return scratch.Write(path, content)
}
