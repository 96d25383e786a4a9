// SPDX-License-Identifier: Apache-2.0

// buckets allocates at so many places that the runtime's heap profile has as many records, each with a stack of its own
// of 23 frames, and then does nothing: for what `gotap heap` costs.
//
//	buckets RECORDS
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"
)

const depth = 19

var keep [][]byte

//go:noinline
func left(bits, n int) {
	if n == 0 {
		keep = append(keep, make([]byte, 64))
	} else if bits&1 == 0 {
		left(bits>>1, n-1)
	} else {
		right(bits>>1, n-1)
	}
}

// Each bit is a turn: a stack is a number.
//
//go:noinline
func right(bits, n int) {
	if n == 0 {
		keep = append(keep, make([]byte, 64))
	} else if bits&1 == 0 {
		left(bits>>1, n-1)
	} else {
		right(bits>>1, n-1)
	}
}

func main() {
	records, err := strconv.Atoi(os.Args[1])
	if err != nil || pprof.Lookup("heap") == nil {
		panic("usage: buckets RECORDS")
	}
	runtime.MemProfileRate = 1
	keep = make([][]byte, 0, records)
	for i := 0; i < records; i++ {
		left(i, depth)
	}
	runtime.MemProfileRate = 512 << 10
	runtime.GC()
	fmt.Println("ready")
	time.Sleep(time.Hour)
}
