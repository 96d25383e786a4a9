// SPDX-License-Identifier: Apache-2.0

// speed passes a value to and fro between two goroutines as fast as it can. For each interval it prints the rounds per
// second, and the rounds per second of its CPU time, on which other programs of the machine have less influence.
//
//	speed [-each D]
package main

import (
	"flag"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
)

var each = flag.Duration("each", time.Second, "the length of an interval")

func player(in <-chan int, out chan<- int) {
	for v := range in {
		out <- v
	}
}

type reading struct {
	rounds    int64
	time, cpu float64
}

func read(rounds *int64) reading {
	var use syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	cpu := time.Duration(use.Utime.Nano() + use.Stime.Nano())
	return reading{atomic.LoadInt64(rounds), float64(time.Now().UnixNano()) / 1e9, cpu.Seconds()}
}

func main() {
	flag.Parse()
	var rounds int64
	ping, pong := make(chan int), make(chan int)
	go player(ping, pong)
	go func() {
		for v := 0; ; atomic.AddInt64(&rounds, 1) {
			ping <- v
			v = <-pong
		}
	}()
	fmt.Println("ready")
	for last := read(&rounds); ; {
		time.Sleep(*each)
		now := read(&rounds)
		n := float64(now.rounds - last.rounds)
		fmt.Printf("%.3f %.0f %.0f\n", now.time, n/(now.time-last.time), n/(now.cpu-last.cpu))
		last = now
	}
}
