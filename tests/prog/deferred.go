// SPDX-License-Identifier: Apache-2.0

// deferred: goroutines that only deferred calls of another one can wake, for `gotap stacks --leaked`. The records of
// those calls are in frames whose bitmaps do not have them. One goroutine, leakedReceive, is leaked.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"
)

func leakedReceive() { <-make(chan int) }

//go:noinline
func waits(c chan int) { <-c }

//go:noinline
func nothing() {}

//go:noinline
func closer(c chan int) func() { return func() { close(c) } }

//go:noinline
func closes(c chan int) { close(c) }

//go:noinline
func begin() func() {
	c := make(chan int)
	go waits(c)
	return closer(c)
}

//go:noinline
func overwrite(n int) int {
	var a [64]int
	for i := range a {
		a[i] = n
	}
	return a[n%64]
}

// More than eight deferred calls have records; fewer are code. The innermost ones are in the heap: they are in a loop.
func holdsByFunction() {
	defer begin()()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	for i := 0; i < 3; i++ {
		defer begin()()
	}
	overwrite(1)
	time.Sleep(time.Hour)
}

func holdsByArgument() {
	c := make(chan int)
	go waits(c)
	defer closes(c)
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	defer nothing()
	overwrite(2)
	time.Sleep(time.Hour)
}

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt)
	for i := 0; i < 4; i++ {
		go holdsByFunction()
		go holdsByArgument()
	}
	go leakedReceive()
	time.Sleep(100 * time.Millisecond)
	fmt.Println("ready")
	<-end
}
