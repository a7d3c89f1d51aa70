package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// How nested options are read
//
// TC keeps its options in a protobuf message with messages inside, and prints it so:
//
//	generic_mapping_options {
//	  outer_schedule_options { fusion_strategy: Max allow_skewing: false }
//	  tiling { sizes: 32 sizes: 8 }
//	}
//	block { x: 32 y: 4 }
//
// Its C++ interface passes them as arguments, genericMappingOptions(MappingOptions::
// makeNaiveMappingOptions().tile(32, 8)), or in braces. Either way a message is a list
// of fields; fields with a message inside are read into, and every other one is an
// option, by what it is in (nestedNames).

// An object is an option with options inside.
var objects = map[string]string{
	"genericMappingOptions": "generic", "generic_mapping_options": "generic", "generic": "generic",
	"outerScheduleOptions": "outer", "outer_schedule_options": "outer",
	"intraTileScheduleOptions": "intra", "intra_tile_schedule_options": "intra",
	"tiling": "tiling", "block": "block", "grid": "grid",
}

// nestedNames gives fields the names of the options that they are.
var nestedNames = map[string]map[string]string{
	"outer": {"fusion_strategy": "fuse", "fusionStrategy": "fuse", "allowSkewing": "outerScheduleAllowSkewing", "positiveOrthant": "outerSchedulePositiveOrthant"},
	"intra": {"fusion_strategy": "intraTileScheduleFusionStrategy", "fusionStrategy": "intraTileScheduleFusionStrategy",
		"allow_skewing": "intraTileScheduleAllowSkewing", "allowSkewing": "intraTileScheduleAllowSkewing",
		"positive_orthant": "intraTileSchedulePositiveOrthant", "positiveOrthant": "intraTileSchedulePositiveOrthant"},
	"tiling": {"sizes": "tile"},
	"block":  {"x": "threads", "y": "threads", "z": "threads"},
	"grid":   {"x": "blocks", "y": "blocks", "z": "blocks"},
}

// message is what a text of nested options begins with.
var message = regexp.MustCompile(`^(\w+_mapping_options|\w+_schedule_options|tiling|block|grid)\s*:?\s*\{`)

// A field is an option of a message with its values, or with a message.
type field struct {
	name   string
	values []string
	within []field
	nested bool
}

// isNested reports whether an argument is itself a list of options.
func isNested(name, argument string) bool {
	text := strings.TrimSpace(argument)
	if objects[name] == "" || text == "" {
		return false
	}
	return strings.HasPrefix(text, ".") || constructor.MatchString(text) || chained.MatchString(text) || strings.HasPrefix(text, "{") && strings.ContainsAny(text, ":=")
}

// chained is a value of a class of options, with or without options behind it.
var chained = regexp.MustCompile(`^[\w:]*Options(?:View)?\s*\(\s*\)`)

// setNested takes the options inside of another one.
func (s *scanner) setNested(o *Options, name, argument string) error {
	text := strings.TrimSpace(argument)
	if strings.HasPrefix(text, "{") {
		fields, err := readFields(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
		if err != nil {
			return err
		}
		return s.setFields(o, objects[name], fields)
	}
	inner := &scanner{text: text, sizes: s.sizes, innermostLast: s.innermostLast}
	if head := chained.FindString(text); head != "" && objects[name] != "generic" {
		inner.at = len(head)
	} else {
		made, err := inner.start()
		if err != nil {
			return err
		}
		if inner.at > 0 {
			o.Fusion, o.Tile, o.Unroll, o.FixParameters = made.Fusion, made.Tile, made.Unroll, made.FixParameters
		}
	}
	for inner.space(); inner.at < len(inner.text); inner.space() {
		option, arguments, err := inner.call()
		if err == nil {
			err = s.set(o, nestedName(objects[name], option), arguments)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func nestedName(object, name string) string {
	if inside, ok := nestedNames[object][name]; ok {
		return inside
	}
	return name
}

// setFields takes the options of a message. Fields that are repeated, or make one option
// together, as x and y of a block, are one list.
func (s *scanner) setFields(o *Options, object string, fields []field) error {
	var order []string
	values := map[string][]string{}
	for _, f := range fields {
		if f.nested {
			inside := objects[f.name]
			if inside == "" {
				return fmt.Errorf("there are no options with others inside that are called %s; these are generic_mapping_options, outer_schedule_options, intra_tile_schedule_options, tiling, block and grid", source.Excerpt(f.name))
			}
			if err := s.setFields(o, inside, f.within); err != nil {
				return err
			}
			continue
		}
		name := nestedName(object, f.name)
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
		values[name] = append(values[name], f.values...)
	}
	for _, name := range order {
		if err := s.set(o, name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// readFields reads "name: value", "name { … }" and "name = value", with or without commas.
func readFields(text string) ([]field, error) {
	var fields []field
	for text = trimFields(text); text != ""; text = trimFields(text) {
		at := strings.IndexFunc(text, func(r rune) bool { return !isFieldRune(r) })
		if at < 1 {
			return nil, fmt.Errorf("found %q, expected the name of an option", firstLine(text))
		}
		f := field{name: strings.TrimPrefix(text[:at], ".")}
		text = strings.TrimSpace(text[at:])
		text = strings.TrimSpace(strings.TrimLeft(text, ":="))
		switch {
		case strings.HasPrefix(text, "{"):
			end := closing(text, '{', '}')
			if end < 0 {
				return nil, fmt.Errorf("the brace behind %s is not closed", source.Excerpt(f.name))
			}
			within, err := readFields(text[1:end])
			if err != nil {
				return nil, err
			}
			f.nested, f.within, text = true, within, text[end+1:]
		case strings.HasPrefix(text, "["):
			end := closing(text, '[', ']')
			if end < 0 {
				return nil, fmt.Errorf("the bracket behind %s is not closed", source.Excerpt(f.name))
			}
			for _, v := range strings.Split(text[1:end], ",") {
				f.values = append(f.values, strings.TrimSpace(v))
			}
			text = text[end+1:]
		default:
			at := strings.IndexAny(text, " \t\r\n,;}")
			if at < 0 {
				at = len(text)
			}
			if at == 0 {
				return nil, fmt.Errorf("%s has no value", source.Excerpt(f.name))
			}
			f.values, text = []string{strings.Trim(text[:at], `"'`)}, text[at:]
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func trimFields(text string) string { return strings.TrimLeft(text, " \t\r\n,;") }

func isFieldRune(r rune) bool {
	return r == '_' || r == '.' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return source.Excerpt(line)
}

// closing is the place of the bracket that closes the one at the beginning, or -1.
func closing(text string, open, closed rune) int {
	depth := 0
	for i, r := range text {
		switch r {
		case open:
			depth++
		case closed:
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}
