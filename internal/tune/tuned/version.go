package tuned

import (
	"runtime/debug"
	"strings"
)

// modulePath is Ricci's own.
const modulePath = "github.com/ricci-lang/ricci"

// Development is the version of builds that do not know which code they are made of: those from
// a directory of sources without revision control, tests, and programs that replace the module.
const Development = "development"

// Version identifies the code of Ricci in this program, the same for the command and for programs
// that use the package.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Development
	}
	return versionOf(info)
}

// versionOf is the version of the module, which Go makes of the revision where there is no tag; else the
// revision with the mark of a tree that was changed.
func versionOf(info *debug.BuildInfo) string {
	module := &info.Main
	for _, d := range info.Deps {
		if d.Path == modulePath {
			module = d
		}
	}
	if module.Path != modulePath {
		return Development
	}
	if module.Replace != nil {
		module = module.Replace
	}
	if module.Version != "" && module.Version != "(devel)" {
		return oneLine(module.Version)
	}
	if info.Main.Path != modulePath { // the revision is that of another program
		return Development
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	switch revision := strings.TrimSpace(settings["vcs.revision"]); {
	case revision == "":
		return Development
	case settings["vcs.modified"] == "true":
		return revision + "+dirty"
	default:
		return revision
	}
}
