// SPDX-License-Identifier: Apache-2.0

// copies spends its time in functions of the runtime that have no frame, or run on the system stack: it copies and clears
// large values (runtime.duffcopy and duffzero, where the compiler uses them), reads the clock (the vDSO), and has the
// runtime print its stack.
//
//	copies [-cpu D]
package main

import (
	"flag"
	"runtime"
	"syscall"
	"time"
)

type large [32]uint64

var (
	cpu  = flag.Duration("cpu", time.Second, "CPU time to use")
	from = &large{1}
	to   = new(large)
	sink *large
	last time.Time
)

//go:noinline
func first(l large) uint64 { return l[0] }

//go:noinline
func copyLarge(from *large) uint64 { return first(*from) }

//go:noinline
func clearLarge(to *large) { *to = large{} }

//go:noinline
func copying() {
	for i := 0; i < 20000; i++ {
		copyLarge(from)
	}
}

//go:noinline
func clearing() {
	for i := 0; i < 20000; i++ {
		clearLarge(to)
	}
}

//go:noinline
func clock() {
	for i := 0; i < 5000; i++ {
		last = time.Now()
	}
}

//go:noinline
func onSystemStack() {
	var text [4096]byte
	for i := 0; i < 20; i++ {
		runtime.Stack(text[:], false)
	}
}

func used() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func main() {
	flag.Parse()
	for used() < *cpu {
		copying()
		clearing()
		clock()
		onSystemStack()
	}
	sink = to
}
