package measure

import (
	"encoding/json"
	"fmt"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/machine"
)

// noteName names the peaks of a machine in the cache, which machines can share.
// It has a version: peaks of another Ricci may have been measured otherwise.
func noteName(m *machine.Processor) string {
	return fmt.Sprintf("peaks 4 %s %d %d %d %d", host.Features(), m.VectorBytes, m.L1, m.L2, m.L3)
}

// Store keeps the peaks of a machine in the cache.
func Store(c *cache.Cache, m *machine.Processor, p *machine.Peaks) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.Remember(noteName(m), text)
}

// Load returns the stored peaks of a machine, nil when there are none.
func Load(c *cache.Cache, m *machine.Processor) *machine.Peaks {
	text, found := c.Recall(noteName(m))
	if !found {
		return nil
	}
	p := new(machine.Peaks)
	if json.Unmarshal(text, p) != nil {
		return nil
	}
	return p
}
