// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// newspans fills spans of the heap with one object each, which is dead when the collector comes for the first time. The runtime
// has not touched the bits of these spans by then: most lie in pages that are not in memory. It prints how many there were.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

const spans = 2000

var sink []byte

func main() {
	debug.SetGCPercent(-1)
	for range spans {
		sink = make([]byte, 40000)
	}
	sink = nil
	runtime.GC() // and sweeps all
	fmt.Println(spans)
}
