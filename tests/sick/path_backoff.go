// SPDX-License-Identifier: Apache-2.0

// path_backoff: a delivery is refused three times before it is taken, and pauses before each further attempt. The pauses are its
// time. EXPLAIN marks the line.
package main

import (
	"sync"
	"time"
)

var mu sync.Mutex

func attempt(n int) bool {
	mu.Lock()
	defer mu.Unlock()
	return n == 3
}

func pause(quit chan bool) {
	select { // EXPLAIN times each: pauses between attempts (back-off, polling)
	case <-quit:
	case <-time.After(4 * time.Millisecond):
	}
}

func deliver(quit chan bool) {
	for n := 0; !attempt(n); n++ {
		pause(quit)
	}
}

func sick() {
	quit := make(chan bool)
	go func() {
		for {
			go deliver(quit)
			time.Sleep(10 * time.Millisecond)
		}
	}()
}
