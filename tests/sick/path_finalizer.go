// SPDX-License-Identifier: Apache-2.0

// path_finalizer: who wants the place of an object waits until its finalizer has run, and that one sleeps. EXPLAIN marks the line.
package main

import (
	"runtime"
	"time"
)

type place struct{ room [4096]byte }

var free = make(chan bool, 16)

func closePlace(*place) {
	time.Sleep(3 * time.Millisecond) // EXPLAIN in a finalizer: one goroutine runs all of them
	free <- true
}

func visit() {
	runtime.SetFinalizer(&place{}, closePlace)
	go runtime.GC()
	<-free
}

func sick() {
	go func() {
		for {
			go visit()
			time.Sleep(15 * time.Millisecond)
		}
	}()
}
