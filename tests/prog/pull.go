// SPDX-License-Identifier: Apache-2.0

//go:build go1.23

// pull runs coroutines by iter.Pull: some to their end, some stopped half way, some dropped by a panic inside.
//
//	pull [-dur D] [-pause D]
package main

import (
	"flag"
	"fmt"
	"iter"
	"time"
)

var (
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	pause = flag.Duration("pause", time.Millisecond, "pause between rounds")
)

func count(yield func(int) bool) {
	for i := 0; i < 5 && yield(i); i++ {
	}
}

func failing(yield func(int) bool) {
	yield(1)
	panic("in the sequence")
}

func toTheEnd() {
	next, stop := iter.Pull(count)
	defer stop()
	for _, ok := next(); ok; _, ok = next() {
	}
}

func halfWay() {
	next, stop := iter.Pull(count)
	next()
	next()
	stop()
}

func withPanic() {
	defer func() { recover() }()
	next, stop := iter.Pull(failing)
	defer stop()
	next()
	next()
}

func main() {
	flag.Parse()
	fmt.Println("ready")
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; time.Sleep(*pause) {
		toTheEnd()
		halfWay()
		withPanic()
	}
}
