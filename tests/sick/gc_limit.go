// SPDX-License-Identifier: Apache-2.0

// gc_limit: a limit of memory sets the heap goal while what lives goes up and down; goroutines allocate.
package main

import (
	"runtime/debug"
	"time"
)

type node struct {
	next *node
	data [6]int
}

var (
	live  [2]*node
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

func list(n int) *node {
	var l *node
	for i := 0; i < n; i++ {
		l = &node{next: l}
	}
	return l
}

func sick() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(80 << 20)
	live[0] = list(500000)
	for i := range trash {
		go allocate(i)
	}
	go func() {
		for {
			live[1] = list(400000)
			time.Sleep(60 * time.Millisecond)
			live[1] = nil
			time.Sleep(60 * time.Millisecond)
		}
	}()
}
