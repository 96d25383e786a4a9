// SPDX-License-Identifier: Apache-2.0

// gc allocates so much with so little room that the collector runs all the time and mutators must assist.
//
//	gc [-n GOROUTINES] [-live MIB] [-dur D] [-pause D]
package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

var (
	n     = flag.Int("n", 2, "goroutines that allocate")
	live  = flag.Int("live", 8, "MiB of linked data that stay alive")
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	pause = flag.Duration("pause", time.Millisecond, "pause between bursts of allocations")
)

type node struct {
	next *node
	data [112]byte
}

func list(n int) *node {
	var head *node
	for i := 0; i < n; i++ {
		head = &node{next: head}
	}
	return head
}

func allocate() {
	for {
		runtime.KeepAlive(list(4000))
		time.Sleep(*pause)
	}
}

func main() {
	flag.Parse()
	debug.SetGCPercent(20)
	kept := list(*live << 20 / 120)
	for i := 0; i < *n; i++ {
		go allocate()
	}
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
	runtime.KeepAlive(kept)
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Println("collections", stats.NumGC)
}
