// Package examples holds the texts of the example programs.
package examples

import "embed"

// Files has the programs by path, such as mdh/ccsdt.mdh.
//
//go:embed tc/*.tc mdh/*.mdh teml/*.teml teil/*.teil
var Files embed.FS
