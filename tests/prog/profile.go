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
	"sync/atomic"
	"syscall"
	"time"
)

// Of CPU time: the profiler takes a sample each 10 ms of it, and none while the program waits for a CPU.
const length = 4 * time.Second

var enough int32

func isEnough() bool { return atomic.LoadInt32(&enough) != 0 }

func cpuTime() time.Duration {
	var use syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func handOver() {
	a, b := make(chan int), make(chan int)
	go func() {
		for v := range a {
			b <- v
		}
		close(b)
	}()
	for i := 0; !isEnough(); i++ {
		a <- i
		<-b
	}
	close(a)
}

func create() {
	for !isEnough() {
		var wg sync.WaitGroup
		for i := 0; i < 20; i++ {
			wg.Add(1)
			go wg.Done()
		}
		wg.Wait()
	}
}

func yield() {
	for !isEnough() {
		runtime.Gosched()
	}
}

func enter() {
	for !isEnough() {
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
	for _, fn := range []func(){handOver, handOver, create, yield, enter} {
		wg.Add(1)
		go func(fn func()) {
			defer wg.Done()
			fn()
		}(fn)
	}
	for cpuTime() < length {
		time.Sleep(20 * time.Millisecond)
	}
	atomic.StoreInt32(&enough, 1)
	wg.Wait()
	pprof.StopCPUProfile()
	out.Close()
}
