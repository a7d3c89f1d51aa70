package advice

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

var words = &Notation{Wide: "widen", Wraps: "wrap", Whole: "whole", Once: "once", Meant: "meant"}

// warned returns the codes of the warnings of a function's statements.
func warned(t *testing.T, text string) string {
	t.Helper()
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(text, err)
	}
	diagnostics := &source.Diagnostics{}
	for _, c := range f.Body {
		words.Of(c, diagnostics)
	}
	var codes []string
	for _, d := range diagnostics.List {
		codes = append(codes, string(d.Code))
	}
	return strings.Join(codes, " ")
}

// TestNarrow asks of values of bytes a and b and signed bytes s whether they wrap before they become a float32.
func TestNarrow(t *testing.T) {
	for value, want := range map[string]string{
		"float32(a[i] + b[i])":                                      "E0230",
		"float32(a[i] - b[i])":                                      "E0230",
		"float32(-a[i])":                                            "E0230",
		"float32(-s[i])":                                            "",
		"float32(a[i] << 1u8)":                                      "E0230",
		"float32(a[i] >> 1u8)":                                      "",
		"float32((a[i] & 127u8) + (b[i] & 127u8))":                  "",
		"float32((a[i] & 127u8) + b[i])":                            "E0230",
		"float32(a[i] % 16u8 * 15u8)":                               "",
		"float32(a[i] % 18u8 * 16u8)":                               "E0230",
		"float32(255u8 - a[i])":                                     "",
		"float32(254u8 - a[i])":                                     "E0230",
		"float32(a[i] / 2u8 + b[i] / 2u8)":                          "",
		"float32(max(a[i], b[i]) - min(a[i], b[i]))":                "",
		"float32(max(a[i], b[i]) - b[i])":                           "",
		"float32(min(a[i], b[i]) - b[i])":                           "E0230",
		"float32(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i])":          "",
		"float32(a[i] > b[i] ? b[i] - a[i] : 0u8)":                  "E0230",
		"a[i] > b[i] ? float32(a[i] - b[i]) : float32(b[i] - a[i])": "",
		"a[i] > b[i] && s[i] > 0i8 ? float32(a[i] - b[i]) : 0f32":   "",
		"a[i] > b[i] || s[i] > 0i8 ? float32(a[i] - b[i]) : 0f32":   "E0230",
		"a[i] > b[i] || s[i] > 0i8 ? 0f32 : float32(b[i] - a[i])":   "",
		"a[i] > 0u8 ? float32(a[i] - 1u8) : 0f32":                   "",
		"a[i] > 0u8 ? float32(a[i] - 2u8) : 0f32":                   "E0230",
		"float64(v[i] - 1u32)":                                      "E0230",
		"float64(v[i] + 1u32)":                                      "",
		"float64(v[i] * v[i])":                                      "E0230",
		"float64(v[i] * 3u32)":                                      "",
		"float64(v[i] * 1000u32)":                                   "E0230",
		"float64(1000u32 * v[i] + uint32(a[i]))":                    "E0230",
		"float64(uint32(a[i]) * 1000u32)":                           "",
		"float64(v[i] << 4u32)":                                     "",
		"float64(v[i] << 12u32)":                                    "E0230",
		"float64(v[i] << uint32(a[i]))":                             "E0230",
		"float64((v[i] & 255u32) << 12u32)":                         "",
		"float64(uint64(v[i]) * uint64(v[i]))":                      "",
		"float64(v[i] / 65536u32 * (v[i] / 65536u32))":              "",
		"float64(max(v[i] * v[i], 1u32))":                           "",
		"float32(int32(a[i]) + int32(b[i]))":                        "",
		"float32(uint8(int32(a[i]) + int32(b[i])))":                 "",
		"float32((a[i] + b[i]) / 2u8)":                              "E0230",
		"a[i] + b[i] > 100u8 ? 1.0f32 : 0.0f32":                     "E0230",
		"let d = a[i] - b[i] in float32(d) * float32(d)":            "E0230",
		"let d = a[i] & 15u8 in let e = d * d in float32(e + 30u8)": "",
	} {
		text := "func f { size N in a: uint8[N] in b: uint8[N] in s: int8[N] in v: uint32[N] out y: float64[N] for i in 0:N { y[i] = float64(" + value + ") } }"
		if got := warned(t, text); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// TestCompared asks of what is compared by a reduction.
func TestCompared(t *testing.T) {
	for value, want := range map[string]string{"a[i] - 1u8": "E0230", "a[i]": "", "a[i] & 7u8": ""} {
		text := "func f { size N in a: uint8[N] out y: uint8[] for i in 0:N reduce max { y[] = " + value + " } }"
		if got := warned(t, text); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// TestFolds asks of what is summed over i.
func TestFolds(t *testing.T) {
	for _, c := range []struct{ dtype, value, extent, want string }{
		{"uint8", "a[i]", "N", "E0221"},
		{"uint8", "uint8(int32(a[i]))", "N", ""}, // says that wrapping is meant
		{"uint8", "uint8(w[i])", "N", ""},
		{"uint8", "a[i] & 1u8", "3", ""},
		{"int32", "int32(a[i])", "N", ""},
		{"int32", "w[i] / 2i32", "N", "E0420"},
		{"int32", "w[i] / 2i32 - v[] / 2i32", "N", "E0420 E0420 E0415"},
		{"int32", "w[i] + v[]", "N", "E0415"},
		{"int32", "w[i] * v[] + w[i]", "N", ""},
		{"int32", "let d = w[i] in d + v[]", "N", "E0415"},
	} {
		text := "func f { size N in a: uint8[N] in w: int32[N] in v: int32[] out y: " + c.dtype + "[] for i in 0:" + c.extent + " reduce + { y[] = " + c.value + " } }"
		if got := warned(t, text); got != c.want {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
}

// TestRoom asks for the type in which arithmetic has room.
func TestRoom(t *testing.T) {
	for value, want := range map[string]string{
		"float64(a[i] + a[i])":  "widen int32; wrap",
		"int64(a[i] + a[i])":    "widen int64; wrap",
		"float64(v[i] - 1u32)":  "widen int64; wrap",
		"float64(a[i] << a[i])": "widen int64; wrap",
	} {
		f, err := ein.ParseFunc("test", "func f { size N in a: uint8[N] in v: uint32[N] out y: float64[N] for i in 0:N { y[i] = float64("+value+") } }")
		if err != nil {
			t.Fatal(value, err)
		}
		diagnostics := &source.Diagnostics{}
		(&Notation{Wide: "widen TYPE", Wraps: "wrap"}).Of(f.Body[0], diagnostics)
		if len(diagnostics.List) != 1 || diagnostics.List[0].Help != want {
			t.Errorf("%s: %v, want the help %q", value, diagnostics.List, want)
		}
	}
}
