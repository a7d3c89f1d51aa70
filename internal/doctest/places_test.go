package doctest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	inBackticks  = regexp.MustCompile("`([^`]+)`")
	declaredName = regexp.MustCompile(`^(?:[a-z]+\.)?([A-Za-z]\w*)(?:\.([A-Za-z]\w*))?(?:\([\w, ]*\))?$`)
	filePath     = regexp.MustCompile(`^[\w*-]+(/[\w.*-]+)+/?$|^[\w*]+\.(go|md|tc|teml|txt|v|ml)$`)
)

// section returns the part of docs/architecture.md below a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/architecture.md has no section %s", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// declares reports whether Go files of a directory, or one file, declare a name: a function, a method, a type, a field, a constant.
func declares(t *testing.T, place, name string) bool {
	t.Helper()
	files := []string{place}
	if info, err := os.Stat(place); err != nil {
		t.Fatal(err)
	} else if info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(place, "*.go"))
	}
	declaration := regexp.MustCompile(`(?m)^(func (\([^)]+\) )?|type |var |const |\t)` + regexp.QuoteMeta(name) + `\b`)
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && declaration.Match(text) {
			return true
		}
	}
	return false
}

// TestNamesOfRooms asks that what the page says of a room in Go's words is declared there.
func TestNamesOfRooms(t *testing.T) {
	found := 0
	for paragraph := range strings.SplitSeq(section(t, "The rooms"), "\n\n") {
		var places []string
		for _, match := range bold.FindAllStringSubmatch(paragraph, -1) {
			if match[1] == rootRoom {
				places = append(places, root)
			} else if roomName.MatchString(match[1]) {
				places = append(places, filepath.Join(root, match[1]))
			}
		}
		for _, match := range inBackticks.FindAllStringSubmatch(paragraph, -1) {
			name := declaredName.FindStringSubmatch(match[1])
			if name == nil || strings.ToLower(name[1][:1]) == name[1][:1] || len(places) == 0 || strings.HasPrefix(match[1], "os.") {
				continue
			}
			found++
			if !declaredIn(t, places, match[1], name) {
				t.Errorf("docs/architecture.md: `%s` is declared nowhere in the rooms of its paragraph:\n%s", match[1], paragraph)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d names were looked for", found)
	}
}

// declaredIn looks for a name, or for both of Type.Method, in the directory that a package before it names, else in places.
func declaredIn(t *testing.T, places []string, text string, name []string) bool {
	if before, _, found := strings.Cut(text, "."); found && before == strings.ToLower(before) {
		for _, directory := range []string{before, "internal/" + before, "internal/lang/" + before, "internal/schedule/" + before, "internal/lang/teil/" + before} {
			if _, err := os.Stat(filepath.Join(root, directory)); err == nil {
				places = append(places, filepath.Join(root, directory))
			}
		}
		if before == "ricci" {
			places = append(places, root)
		}
	}
	for _, place := range places {
		if declares(t, place, name[1]) && (name[2] == "" || declares(t, place, name[2])) {
			return true
		}
	}
	return false
}

// TestPlacesOfChanges asks that the files and the names in Go exist to which the table sends whoever has a change.
func TestPlacesOfChanges(t *testing.T) {
	rows := 0
	for line := range strings.SplitSeq(section(t, "Where does a change go?"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| change") {
			continue
		}
		rows++
		directories := []string{".", "internal", "docs"}
		var names []string
		for _, match := range inBackticks.FindAllStringSubmatch(cells[2]+cells[3], -1) {
			word := match[1]
			known := func(name string) (matches []string) {
				for _, directory := range directories {
					found, _ := filepath.Glob(filepath.Join(root, directory, name))
					matches = append(matches, found...)
				}
				return matches
			}
			switch matches := known(word); {
			case len(matches) > 0:
				for _, match := range matches {
					relative, _ := filepath.Rel(root, match)
					if info, err := os.Stat(match); err == nil && info.IsDir() {
						directories = append(directories, relative)
					} else {
						directories = append(directories, path.Dir(relative))
					}
				}
			case filePath.MatchString(word) && !strings.Contains(word, "NAME") && !strings.HasPrefix(word, "testdata"):
				t.Errorf("docs/architecture.md has no `%s` to go to:\n%s", word, line)
			case declaredName.MatchString(word):
				names = append(names, word)
			}
		}
		for _, word := range names {
			var places []string
			for _, directory := range directories {
				places = append(places, filepath.Join(root, directory))
			}
			if !declaredIn(t, places, word, declaredName.FindStringSubmatch(word)) {
				t.Errorf("docs/architecture.md: no `%s` is declared where the row says:\n%s", word, line)
			}
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows were read", rows)
	}
}
