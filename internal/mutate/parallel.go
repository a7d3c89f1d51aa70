package mutate

import (
	"errors"
	"sync"
	"sync/atomic"
)

// inParallel does numbered pieces of work, so many at once and the first ones first, until one fails.
func inParallel(workers, pieces int, work func(int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	errs := make([]error, max(workers, 1))
	for w := range errs {
		group.Go(func() {
			for !failed.Load() {
				k := int(next.Add(1)) - 1
				if k >= pieces {
					return
				}
				if errs[w] = work(k); errs[w] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
