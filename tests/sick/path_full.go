// SPDX-License-Identifier: Apache-2.0

// path_full: more goroutines compute than there are Ps, so that a request waits for a P. EXPLAIN marks the line.
package main

import (
	"runtime"
	"time"
)

func compute() {
	for {
		work(time.Millisecond) // EXPLAIN the CPUs are full
	}
}

func request() {
	work(100 * time.Microsecond)
	runtime.Gosched()
}

func sick() {
	for i := 0; i < 4*runtime.GOMAXPROCS(0); i++ {
		go compute()
	}
	go func() {
		for {
			go request()
			time.Sleep(20 * time.Millisecond)
		}
	}()
}
