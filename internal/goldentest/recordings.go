package goldentest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// SharedVariable is the environment variable that says where the project's directory shared is.
const SharedVariable = "RICCI_SHARED"

// Recordings is the directory of what the original compiler of Diderot was recorded to accept, print
// and write. It is no part of the repository: where it is not at hand the test is skipped.
func Recordings(t testing.TB) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	named := os.Getenv(SharedVariable)
	for _, shared := range sharedPlaces(named, root) {
		dir := filepath.Join(shared, "diderot")
		if _, err := os.Stat(filepath.Join(dir, "CASES.tsv")); err == nil {
			return dir
		}
	}
	if named != "" {
		t.Fatalf("%s is %q, which has no diderot/CASES.tsv", SharedVariable, named)
	}
	t.Skipf("the recordings of the original compiler are not at hand: no directory shared beside %s, and %s is not set", root, SharedVariable)
	return ""
}

// sharedPlaces are the directories that may be the one called shared, the first that exists first: what the
// user names, and nothing else; or beside the repository; or where the project's machines have it.
func sharedPlaces(named, root string) []string {
	if named != "" {
		return []string{named}
	}
	return []string{filepath.Join(filepath.Dir(root), "shared"), "/work/shared"}
}

// moduleRoot is the directory of go.mod, above that in which go test runs the tests of a package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no go.mod is above the working directory")
		}
		dir = above
	}
}
