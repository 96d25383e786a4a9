// SPDX-License-Identifier: Apache-2.0

//go:build go1.23

package main

import (
	"iter"
	"sync"
)

func init() { workers = append(workers, pulling) }

func count(yield func(int) bool) {
	for i := 0; i < 5 && yield(i); i++ {
	}
}

// pulling runs coroutines: some to their end, some stopped half way.
func pulling(wg *sync.WaitGroup) {
	start(wg, func() {
		for round := 0; running(); round++ {
			next, stop := iter.Pull(count)
			for i := 0; i < 3+3*(round%2); i++ {
				next()
			}
			stop()
			rest()
		}
	})
}
