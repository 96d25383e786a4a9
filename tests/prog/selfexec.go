// SPDX-License-Identifier: Apache-2.0

// selfexec execs its own file again and again, in the same process, while goroutines talk; it prints "ready" each time.
//
//	selfexec [-every D]
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

var every = flag.Duration("every", 1500*time.Millisecond, "time until the next exec")

func player(in <-chan int, out chan<- int) {
	for v := range in {
		out <- v
	}
}

func talk() {
	ping, pong := make(chan int), make(chan int)
	go player(ping, pong)
	for v := 0; ; {
		ping <- v
		v = <-pong
	}
}

func main() {
	flag.Parse()
	for i := 0; i < 4; i++ {
		go talk()
	}
	fmt.Println("ready")
	time.Sleep(*every)
	fmt.Fprintln(os.Stderr, "selfexec:", syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}
