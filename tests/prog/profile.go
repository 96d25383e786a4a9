// SPDX-License-Identifier: Apache-2.0

// profile writes a CPU profile of goroutines that do little but wake each other, for builds with -pgo: with it the
// compiler inlines casgstatus into the scheduler's functions.
//
//	profile FILE
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

const length = 2 * time.Second

func handOver(until time.Time) {
	a, b := make(chan int), make(chan int)
	go func() {
		for v := range a {
			b <- v
		}
		close(b)
	}()
	for i := 0; time.Now().Before(until); i++ {
		a <- i
		<-b
	}
	close(a)
}

func create(until time.Time) {
	for time.Now().Before(until) {
		var wg sync.WaitGroup
		for i := 0; i < 20; i++ {
			wg.Add(1)
			go wg.Done()
		}
		wg.Wait()
	}
}

func yield(until time.Time) {
	for time.Now().Before(until) {
		runtime.Gosched()
	}
}

func enter(until time.Time) {
	for time.Now().Before(until) {
		for i := 0; i < 100; i++ {
			syscall.Getppid()
			syscall.Getpgid(0)
		}
	}
}

func main() {
	out, err := os.Create(os.Args[1])
	if err == nil {
		err = pprof.StartCPUProfile(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	until := time.Now().Add(length)
	for _, fn := range []func(time.Time){handOver, handOver, create, yield, enter} {
		wg.Add(1)
		go func(fn func(time.Time)) {
			defer wg.Done()
			fn(until)
		}(fn)
	}
	wg.Wait()
	pprof.StopCPUProfile()
	out.Close()
}
