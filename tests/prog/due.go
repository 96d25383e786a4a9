// SPDX-License-Identifier: Apache-2.0

// due: a goroutine that only a finalizer can wake which is due and waits, as an earlier one does not end: for `gotap
// stacks --leaked`. One goroutine, leakedReceive, is leaked. With "cleanup" a cleanup is in the place of the finalizer
// (Go 1.24 and later).
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

type object struct{ pad [8]*int }

var (
	blocked = make(chan int)
	begun   = make(chan int, 1)
	keep    [][]byte
)

func leakedReceive() { <-make(chan int) }

//go:noinline
func waits(c chan int) { <-c }

//go:noinline
func closer(c chan int) func() { return func() { close(c) } }

func attachFinalizer(run func()) { runtime.SetFinalizer(new(object), func(*object) { run() }) }

var (
	attachCleanup func(run func())  // of due_cleanup.go
	attach        = attachFinalizer // run runs when an object of its own is garbage
)

//go:noinline
func begin() {
	c := make(chan int)
	go waits(c)
	attach(closer(c))
}

//go:noinline
func overwrite(n int) int {
	var a [128]int
	for i := range a {
		a[i] = n
	}
	if n > 0 {
		return overwrite(n-1) + a[n%128]
	}
	return a[0]
}

func done(c chan int) {
	overwrite(16)
	c <- 1
}

// each runs f in a goroutine of its own, whose stack is overwritten afterwards.
func each(f func()) {
	c := make(chan int)
	go func() { f(); done(c) }()
	<-c
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "cleanup" {
		attach = attachCleanup
	}
	go leakedReceive()
	each(func() { attach(func() { begun <- 1; <-blocked }) })
	for len(begun) == 0 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	each(begin)
	// The object is found to be garbage in one of these, and the call is due.
	for i := 0; i < 4; i++ {
		runtime.GC()
		keep = append(keep, make([]byte, 1<<16))
		time.Sleep(10 * time.Millisecond)
	}
	overwrite(64)
	fmt.Println("ready")
	time.Sleep(time.Hour)
}
