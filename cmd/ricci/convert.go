package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/tensor"
)

// convertFlags are the flags of convert.
type convertFlags struct{ span, dtype, encoding string }

// A convertReport is the --json form of a conversion.
type convertReport struct {
	Path  string `json:"path"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

func newConvert(t *terminal) *cobra.Command {
	var flags convertFlags
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert arrays and images between files",
		Long: `Convert reads an array and writes it in the format of the extension of OUT:
` + strings.Join(tensor.Extensions(), ", ") + `. A member of an archive is FILE.npz:NAME. The place of the
samples, their kinds and their units stay where both files are .nrrd or .nhdr.

IN - is the standard input, which tells by its first bytes what it is (.npy, .nrrd
or .png); OUT - is the standard output, to which .npy is written.

Pictures have samples of 8 or 16 bits: other numbers are quantised. --range LOW,HIGH
says which are black and white, without it the least and the largest are.`,
		Example: "  ricci convert volume.nhdr volume.npy --type float32\n  ricci convert slice.nrrd slice.png --range 0,1\n  ricci convert a.nrrd b.nrrd --encoding gzip",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return formErrorf("convert needs two files: ricci convert IN OUT")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.convert(cmd.Context(), t, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.span, "range", "", "quantise: the numbers `LOW,HIGH` become black and white")
	f.StringVar(&flags.dtype, "type", "", "the element type of the result; of quantised numbers uint8 or uint16")
	f.StringVar(&flags.encoding, "encoding", "raw", "how an .nrrd file has its elements: "+strings.Join(encodings, ", "))
	completeValues(cmd, map[string]completion{"type": fixed(typeNames()), "encoding": fixed(encodings)})
	return cmd
}

// encodings are those of NRRD files that are written.
var encodings = []string{"raw", "ascii", "hex", "gzip"}

func typeNames() []string {
	var names []string
	for _, d := range tensor.DTypes() {
		names = append(names, d.String())
	}
	return names
}

func (flags *convertFlags) convert(ctx context.Context, t *terminal, in, out string) error {
	if err := flags.check(out); err != nil {
		return err
	}
	m, err := t.openImage(in)
	if err != nil {
		return err
	}
	defer m.Tensor.Close()
	if m.Tensor, err = flags.elements(t, out, m.Tensor); err != nil {
		return err
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if out == dash {
		return tensor.WriteNPY(t.out, m.Tensor)
	}
	if isNRRD(out) {
		err = tensor.SaveNRRD(out, m, tensor.NRRDLayout{Encoding: flags.encoding})
	} else {
		err = tensor.Save(out, m.Tensor)
	}
	if err != nil {
		return err
	}
	return t.result(convertReport{out, m.Tensor.DType().String(), m.Tensor.Shape()}, func() error {
		fmt.Fprintf(t.out, "%s: %s\n", out, typeText(m.Tensor))
		return nil
	})
}

func isNRRD(path string) bool {
	return slices.Contains([]string{".nrrd", ".nhdr"}, strings.ToLower(filepath.Ext(path)))
}

// check refuses what cannot be written, before anything is read.
func (flags *convertFlags) check(out string) error {
	file, _ := splitMember(out)
	if out != dash && !slices.Contains(arrayExtensions, strings.ToLower(filepath.Ext(file))) {
		return usagef("%s: the extension says how arrays are written: %s", out, strings.Join(arrayExtensions, ", "))
	}
	if err := checkOutput("convert: OUT", file); err != nil {
		return err
	}
	if err := oneOf("--encoding", flags.encoding, encodings); err != nil {
		return err
	}
	if flags.encoding != "raw" && !isNRRD(out) {
		return usagef("--encoding %s: only .nrrd and .nhdr have encodings", flags.encoding)
	}
	if flags.dtype == "" {
		return nil
	}
	if flags.span != "" || isPicture(out) {
		return oneOf("--type", flags.dtype, []string{"uint8", "uint16"})
	}
	return oneOf("--type", flags.dtype, typeNames())
}

// elements are those of the result: converted, or for pictures and with --range quantised.
func (flags *convertFlags) elements(t *terminal, out string, a *tensor.Tensor) (*tensor.Tensor, error) {
	var r *interval
	if flags.span != "" {
		var err error
		if r, err = parseInterval("--range", flags.span); err != nil {
			return nil, err
		}
	}
	to := tensor.Uint8
	if flags.dtype != "" {
		to, _ = tensor.ParseDType(flags.dtype) // which check has seen
	}
	if r != nil || isPicture(out) && !isSamples(a) {
		return t.quantised(out, a, r, to)
	}
	if flags.dtype == "" {
		return a, nil
	}
	return a.Convert(to)
}
