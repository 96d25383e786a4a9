// SPDX-License-Identifier: Apache-2.0

// lock_work: a writer of an RWMutex computes while it has it; readers wait.
package main

import (
	"sync"
	"time"
)

var (
	rw    sync.RWMutex
	table [64]int
)

func rebuild() {
	rw.Lock()
	work(20 * time.Millisecond)
	table[0]++
	rw.Unlock() // BLAME
}

func read() int {
	rw.RLock()
	defer rw.RUnlock()
	return table[0]
}

func sick() {
	go func() {
		for {
			rebuild()
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 4; i++ {
		go func() {
			for {
				read()
				time.Sleep(time.Millisecond)
			}
		}()
	}
}
