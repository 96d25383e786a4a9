// SPDX-License-Identifier: Apache-2.0

// gc_grows: goroutines allocate, and keep one of eight objects for ever: what lives grows with each cycle, and the goal, which
// GOGC sets, with it.
package main

import (
	"runtime/debug"
)

type node struct {
	next *node
	data [6]int
}

var (
	kept  [4]*node
	trash [4]*node
)

func allocate(i int) {
	for n := 0; ; n++ {
		if n%8 == 0 {
			kept[i] = &node{next: kept[i]}
		}
		trash[i] = &node{} // BLAME
	}
}

func sick() {
	debug.SetGCPercent(30)
	for i := 0; i < 60000; i++ {
		kept[0] = &node{next: kept[0]}
	}
	for i := range trash {
		go allocate(i)
	}
}
