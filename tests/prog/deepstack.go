// SPDX-License-Identifier: Apache-2.0

// deepstack has a goroutine that parks and wakes up at the bottom of a recursion, the last two calls of which the
// compiler inlines.
//
//	deepstack [-depth N] [-tick D] [-dur D]
package main

import (
	"flag"
	"fmt"
	"time"
)

var (
	depth = flag.Int("depth", 100, "calls between the goroutine's start and its park")
	tick  = flag.Duration("tick", 10*time.Millisecond, "how often it wakes up")
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
)

//go:noinline
func descend(n int, wake <-chan int) int {
	if n == 0 {
		return bottom(wake)
	}
	return descend(n-1, wake) + 1
}

// inlinedOnce and inlinedTwice leave frames without a function of their own.
func inlinedOnce(wake <-chan int) int  { return <-wake }
func inlinedTwice(wake <-chan int) int { return inlinedOnce(wake) }

//go:noinline
func bottom(wake <-chan int) int {
	sum := 0
	for {
		sum += inlinedTwice(wake)
	}
}

func main() {
	flag.Parse()
	wake := make(chan int)
	go descend(*depth, wake)
	fmt.Println("ready")
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; {
		time.Sleep(*tick)
		wake <- 1
	}
}
