// SPDX-License-Identifier: Apache-2.0

// spawn starts goroutines that end at once, a batch at a time.
//
//	spawn [-n BATCHES] [-batch N] [-pause D]
package main

import (
	"flag"
	"fmt"
	"sync"
	"time"
)

var (
	n     = flag.Int("n", 0, "batches (0: for ever)")
	batch = flag.Int("batch", 10, "goroutines per batch")
	pause = flag.Duration("pause", time.Millisecond, "pause between batches")
)

func shortLived(wg *sync.WaitGroup) { wg.Done() }

func main() {
	flag.Parse()
	fmt.Println("ready")
	spawned := 0
	for i := 0; *n == 0 || i < *n; i++ {
		var wg sync.WaitGroup
		wg.Add(*batch)
		for k := 0; k < *batch; k++ {
			go shortLived(&wg)
		}
		wg.Wait()
		spawned += *batch
		time.Sleep(*pause)
	}
	fmt.Println("spawned", spawned)
}
