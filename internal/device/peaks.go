package device

import (
	"encoding/json"
	"fmt"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/machine"
)

// noteName names the peaks of a machine in the cache, which machines can share.
// It has a version: peaks of another Ricci may have been measured otherwise.
func noteName(m *machine.Processor) string {
	return fmt.Sprintf("peaks 4 %s %d %d %d %d", machine.HostInstructions(), m.VectorBytes, m.L1, m.L2, m.L3)
}

// StorePeaks keeps the peaks of a machine in the cache.
func StorePeaks(c *cache.Cache, m *machine.Processor, p *machine.Peaks) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.Remember(noteName(m), text)
}

// LoadPeaks returns the stored peaks of a machine, nil when there are none.
func LoadPeaks(c *cache.Cache, m *machine.Processor) *machine.Peaks {
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
