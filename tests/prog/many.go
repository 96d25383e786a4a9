// SPDX-License-Identifier: Apache-2.0

// many parks a great number of goroutines and wakes a few of them at a time, round and round.
//
//	many [-n GOROUTINES] [-wake N] [-pause D] [-dur D]
package main

import (
	"flag"
	"fmt"
	"sync"
	"time"
)

var (
	n     = flag.Int("n", 100000, "goroutines")
	wake  = flag.Int("wake", 10, "goroutines that are woken per round")
	pause = flag.Duration("pause", 5*time.Millisecond, "pause between rounds")
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
)

func parked(started *sync.WaitGroup, in <-chan int) {
	started.Done()
	for range in {
	}
}

func main() {
	flag.Parse()
	in := make([]chan int, *n)
	var started sync.WaitGroup
	started.Add(*n)
	for i := range in {
		in[i] = make(chan int)
		go parked(&started, in[i])
	}
	started.Wait()
	time.Sleep(100 * time.Millisecond)
	fmt.Println("parked", *n)
	fmt.Println("ready")
	next := 0
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; time.Sleep(*pause) {
		for k := 0; k < *wake; k++ {
			in[next] <- k
			next = (next + 1) % *n
		}
	}
}
