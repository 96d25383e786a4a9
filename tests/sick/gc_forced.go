// SPDX-License-Identifier: Apache-2.0

// gc_forced: a goroutine asks for garbage collections again and again.
package main

import (
	"runtime"
	"time"
)

func tidy() {
	for {
		runtime.GC() // BLAME
		time.Sleep(time.Millisecond)
	}
}

func sick() {
	go tidy()
}
