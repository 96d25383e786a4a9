// SPDX-License-Identifier: Apache-2.0

// locked has goroutines that are bound to their threads and hand a token round; now and then one ends while still
// bound, which ends its thread.
//
//	locked [-n GOROUTINES] [-dur D] [-pause D]
package main

import (
	"flag"
	"fmt"
	"runtime"
	"time"
)

var (
	n     = flag.Int("n", 3, "goroutines with a thread of their own")
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	pause = flag.Duration("pause", time.Millisecond, "pause between rounds")
)

func bound(in <-chan int, out chan<- int) {
	runtime.LockOSThread()
	for v := range in {
		out <- v
	}
}

func dying() {
	runtime.LockOSThread()
	runtime.Gosched()
}

func main() {
	flag.Parse()
	first := make(chan int)
	last := first
	for i := 0; i < *n; i++ {
		next := make(chan int)
		go bound(last, next)
		last = next
	}
	fmt.Println("ready")
	round := 0
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; round++ {
		first <- round
		<-last
		if round%20 == 0 {
			go dying()
		}
		time.Sleep(*pause)
	}
}
