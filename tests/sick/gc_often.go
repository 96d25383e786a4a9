// SPDX-License-Identifier: Apache-2.0

// gc_often: a heap that may grow by a twentieth only, and goroutines that allocate.
package main

import (
	"runtime/debug"
)

type node struct {
	next *node
	data [6]int
}

var (
	live  *node
	trash [4]*node
)

func allocate(i int) {
	for {
		trash[i] = &node{next: trash[i]} // BLAME
		if trash[i].data[0]++; trash[i].next != nil {
			trash[i].next = nil
		}
	}
}

func sick() {
	for i := 0; i < 200000; i++ {
		live = &node{next: live}
	}
	debug.SetGCPercent(5)
	for i := range trash {
		go allocate(i)
	}
}
