// SPDX-License-Identifier: Apache-2.0

// pingpong passes a value to and fro between two goroutines over unbuffered channels, as fast as it can.
//
//	pingpong [-n ROUNDS] [-dur D] [-work STEPS]
package main

import (
	"flag"
	"fmt"
	"time"
)

var (
	n   = flag.Int("n", 0, "rounds (0: as many as the duration allows)")
	dur = flag.Duration("dur", 0, "how long to go on (0: for ever, or for n rounds)")

	work = flag.Int("work", 0, "steps of computing in each round, for a rate that a busy machine can record")
)

var sum int

func compute() {
	for i := 0; i < *work; i++ {
		sum = sum*31 + i
	}
}

func player(in <-chan int, out chan<- int) {
	for v := range in {
		out <- v + 1
	}
}

func main() {
	flag.Parse()
	ping, pong := make(chan int), make(chan int)
	go player(ping, pong)
	fmt.Println("ready")
	start, rounds := time.Now(), 0
	for v := 0; (*n == 0 || rounds < *n) && (*dur == 0 || time.Since(start) < *dur); rounds++ {
		ping <- v
		v = <-pong
		compute()
	}
	fmt.Println("rounds", rounds)
}
