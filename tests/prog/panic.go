// SPDX-License-Identifier: Apache-2.0

// panic panics and recovers for a while, or until SIGUSR1, and then dies of a panic.
//
//	panic [-after D | -signal]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var (
	after = flag.Duration("after", 500*time.Millisecond, "time before the last panic")
	told  = flag.Bool("signal", false, "the last panic comes with SIGUSR1")
)

func recovering() {
	defer func() { recover() }()
	var m map[string]int
	m["nil map"] = 1
}

func tick() {
	for {
		recovering()
		time.Sleep(5 * time.Millisecond)
	}
}

func main() {
	flag.Parse()
	go tick()
	last := make(chan os.Signal, 1)
	if *told {
		signal.Notify(last, syscall.SIGUSR1)
	} else {
		time.AfterFunc(*after, func() { last <- syscall.SIGUSR1 })
	}
	fmt.Println("ready")
	<-last
	panic("the end")
}
