package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/devices"
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
