package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
	"github.com/ricci-lang/ricci/internal/units"
)

func newCache(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show and prune the kernel cache",
		Long: `Cache lists the compiled kernels that this user's processes share, and the
schedules that 'ricci tune' found. 'clear' removes both, and what tuning measured.

The directory is $RICCI_CACHE, or ricci in the user's cache directory.`,
		Example: "  ricci cache\n  ricci cache prune --older-than 30d --max-bytes 500MB\n  ricci cache clear",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = func(*cobra.Command, []string) error { return listCache(t) }
	cmd.AddCommand(newCachePrune(t), newCacheVerify(t), newCacheClear(t))
	return cmd
}

// openCache opens the cache that the user means; what is unfit to be one is an error and
// is not replaced by a private one.
func openCache(t *terminal) (*cache.Cache, error) {
	c, err := cache.At("")
	if unfit := (*cache.UnfitError)(nil); err == nil || errors.As(err, &unfit) {
		return c, err
	}
	return cache.Open("", func(text string) { t.notice("%s", text) })
}

func listCache(t *terminal) error {
	c, err := openCache(t)
	if err != nil {
		return err
	}
	entries, err := c.List()
	if err != nil {
		return err
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	schedules, err := tuned.In(c).List()
	if err != nil {
		return err
	}
	if t.json {
		return t.writeResult(true, map[string]any{"dir": c.Dir(), "bytes": size, "entries": entries, "tuned": tunedReports(schedules)})
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "KEY\tKIND\tSIZE\tLAST USED\tNAME\n")
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Key[:12], e.Kind, units.Bytes(e.Bytes), e.Used.Local().Format(time.DateTime), e.Name)
	}
	for _, s := range schedules {
		text := s.Print()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s: %s\n", s.Key()[:12], "tuned", units.Bytes(int64(len(text))), s.Created.Local().Format(time.DateTime), s.Name, s.Summary())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s, %s in %s\n", entriesText(len(entries)), units.Bytes(size), c.Dir())
	return nil
}

func newCachePrune(t *terminal) *cobra.Command {
	var olderThan, maxBytes string
	cmd := &cobra.Command{
		Use:     "prune",
		Short:   "Remove old entries",
		Example: "  ricci cache prune --older-than 30d\n  ricci cache prune --max-bytes 500MB",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var options cache.PruneOptions
			var err error
			if options.OlderThan, err = parseAge(olderThan); err != nil {
				return err
			}
			if options.MaxBytes, err = parseBytes(maxBytes); err != nil {
				return err
			}
			if options.MaxBytes == 0 {
				return usagef("--max-bytes 0 would remove everything; that is 'ricci cache clear'")
			}
			return removeFromCache(t, removal{}, func(c *cache.Cache) (cache.Removed, error) { return c.Prune(options) })
		},
	}
	cmd.Flags().StringVar(&olderThan, "older-than", "90d", "remove what was not used for so long (12h, 30d; 0: nothing for its age)")
	cmd.Flags().StringVar(&maxBytes, "max-bytes", "1GB", "then remove the least recently used until so much is left (500MB)")
	return cmd
}

// newCacheClear also forgets what tuning found and measured.
func newCacheClear(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Remove everything", Args: cobra.NoArgs, Example: "  ricci cache clear",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := openCache(t)
			if err != nil {
				return err
			}
			var r removal
			if r.Schedules, r.Trials, err = clearTuned(cmd.Context(), c); err != nil {
				return err
			}
			return removeFromCache(t, r, (*cache.Cache).Clear)
		},
	}
}

// newCacheVerify also removes tuned schedules that cannot be used.
func newCacheVerify(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Remove damaged entries", Args: cobra.NoArgs, Example: "  ricci cache verify",
		RunE: func(*cobra.Command, []string) error {
			store, err := tunedStore(t)
			if err != nil {
				return err
			}
			schedules, err := store.Verify()
			if err != nil {
				return err
			}
			return removeFromCache(t, removal{Schedules: schedules}, (*cache.Cache).Verify)
		},
	}
}

// A removal is what a verb has removed.
type removal struct {
	Entries   int   `json:"entries"` // compiled kernels
	Bytes     int64 `json:"bytes"`   // of these
	Schedules int   `json:"schedules"`
	Trials    int   `json:"trials"`
}

// removeFromCache removes compiled kernels, and reports it with what was removed before.
func removeFromCache(t *terminal, r removal, remove func(*cache.Cache) (cache.Removed, error)) error {
	c, err := openCache(t)
	if err != nil {
		return err
	}
	removed, err := remove(c)
	if err != nil {
		return err
	}
	r.Entries, r.Bytes = removed.Entries, removed.Bytes
	return t.result(r, func() error {
		switch schedules := plural(strconv.Itoa(r.Schedules), "tuned schedule"); {
		case r.Trials > 0:
			fmt.Fprintf(t.out, "removed %s and %s\n", schedules, plural(strconv.Itoa(r.Trials), "trial"))
		case r.Schedules > 0:
			fmt.Fprintf(t.out, "removed %s\n", schedules)
		}
		_, err := fmt.Fprintf(t.out, "removed %s, %s\n", entriesText(r.Entries), units.Bytes(r.Bytes))
		return err
	})
}

func entriesText(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// mostDays is less than a time.Duration holds.
const mostDays = 100_000

// parseAge reads a duration that may be in days: 12h, 30d.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0 && n <= mostDays) {
			return 0, usagef("%q is not an age; write 12h or 30d", text)
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, usagef("%q is not an age; write 12h or 30d", text)
	}
	return d, nil
}

// parseBytes reads a number of bytes of a flag.
func parseBytes(text string) (int64, error) {
	if n, ok := units.ParseBytes(text); ok {
		return n, nil
	}
	return 0, usagef("%q is not a number of bytes; write 500MB, 2GB or 64MiB", text)
}
