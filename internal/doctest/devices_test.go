package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target/targets"
)

// TestTargetsInDevices and TestDevicesInDevices keep the tables of docs/devices.md those of the code; -update writes them.
func TestTargetsInDevices(t *testing.T) {
	var b strings.Builder
	b.WriteString("| target | what it makes | files |\n|---|---|---|\n")
	for _, one := range targets.All() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", one.Name(), one.About(), one.Extension())
	}
	generated(t, "docs/devices.md", "targets", b.String())
}

func TestDevicesInDevices(t *testing.T) {
	var b strings.Builder
	b.WriteString("| device | target | what it is |\n|---|---|---|\n")
	for _, d := range devices.All() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", d.Name, d.Target, d.About)
	}
	generated(t, "docs/devices.md", "devices", b.String())
}

// TestPlanInDevices asks for every member of a plan on the page.
func TestPlanInDevices(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/devices.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Plans\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var check func(one reflect.Type)
	check = func(one reflect.Type) {
		for one.Kind() == reflect.Slice || one.Kind() == reflect.Pointer {
			one = one.Elem()
		}
		if one.Kind() != reflect.Struct {
			return
		}
		for field := range one.Fields() {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if member != "" && !strings.Contains(section, "`"+member+"`") {
				t.Errorf("docs/devices.md does not say what %s of a %s is", member, one.Name())
			}
			check(field.Type)
		}
	}
	check(reflect.TypeFor[plan.Plan]())
}
