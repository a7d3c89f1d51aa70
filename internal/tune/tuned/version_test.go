package tuned

import (
	"runtime/debug"
	"slices"
	"testing"
)

func TestVersion(t *testing.T) {
	own := func(version string) debug.Module { return debug.Module{Path: modulePath, Version: version} }
	library, local := own("v1.2.0"), own("v0.0.0")
	local.Replace = &debug.Module{Path: "../ricci"}
	other := debug.Module{Path: "example.com/program", Version: "v7.0.0"}
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}
	changed := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	for _, test := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: own("v1.2.0")}, "v1.2.0"},
		{debug.BuildInfo{Main: own("v0.0.0-20260101000000-0123456789ab+dirty")}, "v0.0.0-20260101000000-0123456789ab+dirty"},
		{debug.BuildInfo{Main: own("(devel)"), Settings: revision}, "abc"},
		{debug.BuildInfo{Main: own(""), Settings: changed}, "abc+dirty"},
		{debug.BuildInfo{Main: own("(devel)")}, Development},
		{debug.BuildInfo{Main: other, Deps: []*debug.Module{&library}, Settings: revision}, "v1.2.0"},
		{debug.BuildInfo{Main: other, Deps: []*debug.Module{&local}, Settings: revision}, Development},
		{debug.BuildInfo{}, Development},
	} {
		if got := versionOf(&test.info); got != test.want {
			t.Errorf("%+v: %q, expected %q", test.info, got, test.want)
		}
	}
}

// What another version found is there to begin with, and is not used.
func TestOtherVersions(t *testing.T) {
	store, now := In(newCache(t)), example()
	now.Version = "v2"
	older, oldest, elsewhere := example(), example(), example()
	oldest.Version, oldest.Created = "v0", older.Created.Add(-1)
	elsewhere.Machine = "another"
	for _, s := range []*Schedule{oldest, older, elsewhere} {
		if err := store.Put(s); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := store.Get(&now.Configuration); got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	versions := func(c *Configuration) (list []string) {
		for _, s := range store.Others(c) {
			list = append(list, s.Version)
		}
		return list
	}
	if got := versions(&now.Configuration); !slices.Equal(got, []string{"v1", "v0"}) {
		t.Errorf("there are %v", got)
	}
	if err := store.Put(now); err != nil {
		t.Fatal(err)
	}
	if got := versions(&older.Configuration); !slices.Equal(got, []string{"v2", "v0"}) {
		t.Errorf("beside v1 there are %v", got)
	}
	if n, err := store.Verify(); n != 0 || err != nil {
		t.Errorf("found %d damaged, %v", n, err)
	}
}
