// SPDX-License-Identifier: Apache-2.0

// slow is a service that answers slowly, for docs/slow.md: each request looks something up in a cache, whose lock one
// goroutine holds for 20 ms every 50 ms (or as long as -hold says) while it makes the cache anew. It sends itself
// requests and prints how long they take.
//
//	slow [-dur D] [-hold D]
package main

import (
	"flag"
	"fmt"
	"sync"
	"time"
)

type cache struct {
	mu      sync.Mutex
	entries map[int]int
}

func (c *cache) lookup(key int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[key]
}

func (c *cache) refresh(hold time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := map[int]int{}
	for start := time.Now(); time.Since(start) < hold; {
		for i := 0; i < 1000; i++ {
			entries[i] = i * i
		}
	}
	c.entries = entries
}

func refreshForEver(c *cache, hold time.Duration) {
	for {
		c.refresh(hold)
		time.Sleep(30 * time.Millisecond)
	}
}

func handle(c *cache, took chan<- time.Duration) {
	start := time.Now()
	for i := 0; i < 100; i++ {
		c.lookup(i)
	}
	took <- time.Since(start)
}

func main() {
	dur := flag.Duration("dur", 0, "how long to go on (0: for ever)")
	hold := flag.Duration("hold", 20*time.Millisecond, "how long the lock is held at a time")
	flag.Parse()
	c := &cache{}
	took := make(chan time.Duration, 100)
	go refreshForEver(c, *hold)
	fmt.Println("ready")
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; time.Sleep(time.Millisecond) {
		go handle(c, took)
		for n := len(took); n > 0; n-- {
			if d := <-took; d > 10*time.Millisecond {
				fmt.Println("slow request:", d)
			}
		}
	}
}
