package ricci

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// temporariesShown is how many temporaries are named, the largest first.
const temporariesShown = 4

// memoryText says in a comment how much memory the temporaries of a kernel take; nothing where there are none.
func memoryText(f *loop.Func) string {
	if f == nil || f.Workspace == 0 && f.DynamicWorkspace == nil {
		return ""
	}
	if f.DynamicWorkspace != nil {
		return fmt.Sprintf("# memory: temporaries take %s bytes\n", f.DynamicWorkspace)
	}
	var list []*loop.Buffer
	sum := int64(0)
	for _, b := range f.Buffers {
		if b.Region == loop.Workspace {
			list, sum = append(list, b), sum+b.Bytes()
		}
	}
	slices.SortStableFunc(list, func(a, b *loop.Buffer) int { return cmp.Compare(b.Bytes(), a.Bytes()) })
	var names []string
	for _, b := range list[:min(len(list), temporariesShown)] {
		names = append(names, b.Name+" "+bytesText(b.Bytes()))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	shared := ""
	if sum > f.Workspace {
		shared = "; some take turns in the same memory"
	}
	return fmt.Sprintf("# memory: temporaries take %s: %s%s\n", bytesText(f.Workspace), strings.Join(names, ", "), shared)
}

// bytesText is a number of bytes for people, in powers of 1000 as in estimates.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, k := float64(n), 0
	for x >= 1000 && k < len(units)-1 {
		x, k = x/1000, k+1
	}
	return fmt.Sprintf("%.3g %s", x, units[k])
}

// memoryLimit is the most bytes that temporaries of a call may take; 0 is no limit.
func (o Options) memoryLimit() int64 {
	switch {
	case o.Memory > 0:
		return o.Memory
	case o.Memory < 0:
		return 0
	}
	return host.AvailableMemory() / 4 * 3
}

// fits refuses temporaries that do not fit into memory, before the machine begins to swap.
func (n *native) fits(bytes int64) error {
	if n.memory == 0 || bytes <= n.memory {
		return nil
	}
	e := &Diagnostic{Code: source.TooMuchMemory, Span: n.pos, Message: fmt.Sprintf("the temporaries of %s take %s, and the limit is %s", n.name, bytesText(bytes), bytesText(n.memory))}
	return ErrorList{e.WithHelp("`show --stage schedule` names the largest; compute in parts, write large temporaries into the statements that read them, or allow more: --memory %s, Options.Memory", flagBytes(bytes))}
}

// flagBytes is a number of bytes as --memory takes it, rounded up.
func flagBytes(n int64) string {
	const mega = 1 << 20
	return fmt.Sprintf("%dMB", (n+mega-1)/mega)
}
