package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// A preset is one of the constructors of TC's interface.
type preset struct{ Name, Chain string }

// presets has the values of tc/core/mapping_options-inl.h and
// tc/core/cuda/cuda_mapping_options.cc, in the order in which messages list them. The paper's default is
// that of Ricci.
var presets = []preset{
	{"default", ""},
	{"naive", unmapped + ".tile(32, 32, 32).mapToThreads(32, 8).mapToBlocks(256, 256).unroll(1)"},
	{"pointwise", unmapped + ".tile(32, 32, 32).mapToThreads(32, 4, 4).mapToBlocks(100, 100, 100).unroll(128)"},
	{"mlp", unmapped + ".fuse(max).tile(1).mapToThreads(128).mapToBlocks(128).unroll(1)"},
	{"convolution", unmapped + ".tile(4, 8, 8, 8).mapToThreads(4, 16, 4).mapToBlocks(256, 256, 256).unroll(1)"},
	{"group_convolution", unmapped + ".tile(1, 1).mapToThreads(4, 16, 4).mapToBlocks(256, 256).unroll(1)"},
	{"single_thread", unmapped + ".tile(1).mapToThreads(1).mapToBlocks(1).unroll(1)"},
	{"unmapped", unmapped},
}

const unmapped = ".fuse(preserve3coincident).useSharedMemory(false).usePrivateMemory(false)"

// Presets lists the names of the presets.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Preset returns the options of a preset.
func Preset(name string) (Options, error) {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.Name == name })
	if i < 0 {
		return Options{}, fmt.Errorf("there is no preset %s; the presets are %s%s", source.Excerpt(name), strings.Join(Presets(), ", "), source.DidYouMean(name, Presets()))
	}
	o, err := Parse(presets[i].Chain, nil)
	o.Given, o.Idle = nil, nil
	return o, err
}

// constructor is what stands before a chain: perhaps a declaration, the scopes of a name, and a
// call of something that ends in Options, perhaps with the name of a preset.
var constructor = regexp.MustCompile(`^(?:[\w:&*<> \t]*=\s*)?((?:\w+(?:::|\.))*)(\w*?)(?:Mapping)?Options\s*\(\s*(?:["'](\w*)["']\s*)?\)`)

// bare returns the preset of a text that begins with its name alone, as naive.tile(8, 8); "" for none.
func bare(text string) string {
	name, _, _ := strings.Cut(text, ".")
	if name = strings.TrimSpace(name); slices.Contains(Presets(), name) {
		return name
	}
	return ""
}

// start reads what stands before the chain and returns the options that it stands for.
func (s *scanner) start() (Options, error) {
	if name := bare(s.text); name != "" {
		s.at = len(name)
		return Preset(name)
	}
	match := constructor.FindStringSubmatch(s.text)
	if match == nil {
		return Default(), nil
	}
	s.at = len(match[0])
	name := match[3]
	if made, ok := strings.CutPrefix(match[2], "make"); ok && name == "" {
		name = snake(made)
	}
	// The paper's interface names the threads of the innermost dimension last.
	s.innermostLast = strings.HasSuffix(match[1], "IslKernelOptions::") || name == "default"
	if name == "" {
		name = "naive" // MappingOptions() of the Python interface
	}
	return Preset(name)
}

// snake writes GroupConvolution as group_convolution.
func snake(camel string) string {
	var b strings.Builder
	for i, r := range camel {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// IsText reports whether a text looks like mapping options: it begins with a dot, with the name of a preset, with a
// call of the interface that ends in Options, or with a message of options.
func IsText(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, ".") || bare(text) != "" || constructor.MatchString(text) || message.MatchString(text)
}
