// SPDX-License-Identifier: Apache-2.0

// leaky: goroutines that nothing can wake, and some that only look so, for `gotap stacks --leaked`. Those that are
// leaked are in functions leaked...; no other goroutine is. It collects all the time, with "idle" not; at SIGUSR2 it
// collects, and prints "collected".
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

var global = make(chan int)

func leakedReceive() { <-make(chan int) }
func leakedSend()    { make(chan int) <- 1 }
func leakedSelect() {
	select {
	case <-make(chan int):
	case make(chan int) <- 1:
	}
}
func leakedNil() { var c chan int; <-c }
func leakedWait() {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

// A lock alone would share its object with other small ones (the tiny allocator), and be reachable with them.
func leakedMutex() {
	locked := &struct {
		mu    sync.Mutex
		other *int
	}{}
	locked.mu.Lock()
	locked.mu.Lock()
}
func leakedRWMutex() {
	var mu sync.RWMutex
	mu.Lock()
	mu.RLock()
}
func leakedCond() {
	c := sync.NewCond(&sync.RWMutex{})
	c.L.Lock()
	c.Wait()
}
func reachable() { <-global }

// What wakes these is in a timer, in a finalizer, in a list of a lock that is reachable.
func waitsForTimer() { <-time.After(time.Hour) }

func waitsForFinalizer() {
	c := make(chan int)
	p := &struct{ a [4]int }{}
	runtime.SetFinalizer(p, func(interface{}) { close(c) })
	globalObject = p
	<-c
}

var (
	globalObject interface{}
	globalMutex  sync.Mutex
	globalCond   = sync.NewCond(&sync.Mutex{})
)

func waitsForMutex() { globalMutex.Lock() }
func waitsForCond() {
	globalCond.L.Lock()
	globalCond.Wait()
}

func collect() {
	for {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
}

func main() {
	for i := 0; i < 5; i++ {
		for _, f := range []func(){leakedReceive, leakedSend, leakedSelect, leakedNil, leakedWait,
			leakedMutex, leakedRWMutex, leakedCond, reachable} {
			go f()
		}
	}
	globalMutex.Lock()
	for _, f := range []func(){waitsForTimer, waitsForFinalizer, waitsForMutex, waitsForCond} {
		go f()
	}
	held := make(chan int)
	go func() { <-held }()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	time.Sleep(100 * time.Millisecond)
	if len(os.Args) < 2 || os.Args[1] != "idle" {
		go collect()
	}
	fmt.Println("ready")
	for s := range signals {
		if s == syscall.SIGUSR2 {
			runtime.GC()
			fmt.Println("collected")
			continue
		}
		break
	}
	held <- 1
	for i := 0; i < 5; i++ {
		global <- 1
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println("goroutines", runtime.NumGoroutine())
}
