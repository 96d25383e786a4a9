// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// newspans allocates objects of which each fills a span of the heap, and which are all dead at the first collection.
// Until then the runtime has not touched the mark bits of these spans: most are in pages that are not in memory. It
// prints the number of objects.
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
