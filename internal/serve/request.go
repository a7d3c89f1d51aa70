package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

// strictly decodes one JSON value without members that nobody reads. No text is an empty object.
func strictly(text []byte, into any) error {
	if len(bytes.TrimSpace(text)) == 0 || bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		text = []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unread(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the object")
	}
	return nil
}

// unread says what was read where something else was expected, without the names of Go's types.
func unread(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	found, number, _ := strings.Cut(wrong.Value, " ") // "number 3.5", or "array" and its like
	found = map[string]string{"array": "a list", "object": "an object", "string": "a text", "bool": "a truth value", "number": "a number"}[found]
	if number != "" {
		found = number
	}
	where := ""
	if wrong.Field != "" { // a path, in which embedded structs of Go have names, too
		where = wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] + ": "
	}
	return fmt.Errorf("%sfound %s, expected %s", where, found, inJSON(wrong.Type))
}

// inJSON says how values of a type are written.
func inJSON(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return inJSON(t.Elem())
	case k == reflect.Struct || k == reflect.Map:
		return "an object"
	case k == reflect.Slice || k == reflect.Array:
		return "a list"
	case k == reflect.String:
		return "a text"
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	}
	return "a whole number of " + t.Kind().String()
}

// idOf finds the id of what is no request, for the answer.
func idOf(text []byte) json.RawMessage {
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &r) != nil || !isID(r.ID) {
		return nil
	}
	return r.ID
}

// isID reports whether a value is a whole number or a text, of a length that one can repeat.
func isID(id json.RawMessage) bool {
	const longest = 256
	if len(id) == 0 || len(id) > longest {
		return false
	}
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' && !bytes.ContainsAny(id, ".eE")
}

// A refusal is a request that is wrong in itself.
type refusal struct{ error }

func refusef(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// A Failure is the error of an answer.
type Failure struct {
	Kind        string              `json:"kind"`
	Message     string              `json:"message"`
	Rendered    string              `json:"rendered"`
	Diagnostics []report.Diagnostic `json:"diagnostics"`
}

// The kinds of failures.
const (
	ofProgram   = "program"
	ofRequest   = "request"
	cancelled   = "cancelled"
	unavailable = "unavailable"
	internal    = "internal"
	failed      = "failed"
)

// failureOf says what an error is.
func failureOf(err error) *Failure {
	message, _, _ := strings.Cut(source.Shorten(err.Error()), "\n")
	f := &Failure{Kind: failed, Message: message, Rendered: source.Shorten(err.Error()), Diagnostics: []report.Diagnostic{}}
	var list source.ErrorList
	var one *source.Diagnostic
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = source.ErrorList{one}
	}
	if len(list) > 0 {
		f.Kind, f.Message, f.Rendered, f.Diagnostics = ofProgram, list[0].Message, report.Text(list), report.Rendered(list)
		if list[0].Code == source.NoSuchDevice || list[0].Code == source.NoSuchTarget {
			f.Kind = unavailable
		}
	}
	var refused refusal
	var defect *ricci.InternalError
	switch {
	case errors.Is(err, errCancelled), errors.Is(err, errEnded):
		f.Kind = cancelled
	case errors.As(err, &refused):
		f.Kind = ofRequest
	case errors.Is(err, ricci.ErrNoCompiler):
		f.Kind = unavailable
	case errors.As(err, &defect):
		f.Kind = internal
	}
	return f
}
