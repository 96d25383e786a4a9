// SPDX-License-Identifier: Apache-2.0

// lock_sleep: one goroutine holds a mutex over a sleep; those that look something up wait for it.
package main

import (
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	cache = map[int]int{}
)

func refresh() {
	mu.Lock()
	defer mu.Unlock()
	time.Sleep(20 * time.Millisecond) // BLAME
	cache[1]++
}

func lookup() int {
	mu.Lock()
	defer mu.Unlock()
	return cache[1]
}

func sick() {
	go func() {
		for {
			refresh()
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 4; i++ {
		go func() {
			for {
				lookup()
				time.Sleep(time.Millisecond)
			}
		}()
	}
}
