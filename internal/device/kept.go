package device

import (
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/target"
)

// Kept compiles for a device, and keeps the objects in a cache.
type Kept struct {
	Device Device
	Cache  *cache.Cache         // nil: nothing is kept
	Notice func(message string) // nil discards
}

// Key is the key of the object that the device makes of a module.
func (k Kept) Key(m *target.Module) cache.Key {
	return cache.NewKey("library").Add(m.Code, k.Device.Identity()).Key()
}

// Use gives the object of a module to use: what is kept, or, where there is nothing or it cannot be used, what is compiled
// now. The entry is nil where the object could not be kept. Name is for people.
func (k Kept) Use(ctx context.Context, name string, m *target.Module, options CompileOptions, use func(object []byte) error) (*cache.Entry, error) {
	key := k.Key(m)
	if k.Cache != nil {
		if entry, found := k.Cache.Get(key); found {
			if err := use(entry.Data); err == nil || ctx.Err() != nil || isOfDevice(err) {
				return entry, err
			}
		}
	}
	object, err := k.Device.Compile(ctx, m, options)
	if err != nil {
		return nil, err
	}
	var entry *cache.Entry
	if k.Cache != nil {
		if entry, err = k.Cache.Put(key, cache.Entry{Kind: "library", Name: name}, object); err != nil && k.Notice != nil {
			k.Notice(fmt.Sprintf("compiled kernels are not kept: %v", err))
		}
	}
	return entry, use(object)
}

// isOfDevice reports whether an error says something about the device, and nothing about the object that it was given.
func isOfDevice(err error) bool {
	return errors.Is(err, ErrUnproven) || errors.Is(err, ErrLost) || errors.Is(err, ErrNoMemory)
}
