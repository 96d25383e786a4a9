// SPDX-License-Identifier: Apache-2.0

// stacked: goroutines that stand at every kind of place, for `gotap stacks`. At SIGUSR1 it writes what it knows of them
// itself to the folder that it was given: runtime/pprof's goroutine profiles dump.1 and dump.2 (debug=1 and 2). Otherwise
// it is idle; with a second argument one goroutine runs all the time, and others hand a value to and fro.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

type box struct{ mu sync.Mutex }

type waiter interface{ wait(c chan int) int }

func (b box) wait(c chan int) int { return <-c } // called by a wrapper through a pointer

//go:noinline
func (b *box) lock() {
	b.mu.Lock()
	defer b.mu.Unlock()
}

func inner(c chan int) int  { return <-c } // inlined
func middle(c chan int) int { return inner(c) + 1 }

//go:noinline
func outer(c chan int) int { return middle(c) + 1 }

//go:noinline
func recurse(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	var room [100]byte
	room[n%len(room)] = 1
	return recurse(n-1, c) + int(room[0])
}

// A goroutine that waits in a deferred function, after a panic.
func panicking(c chan int) {
	defer func() {
		<-c
		recover()
	}()
	var p *int
	*p = 1
}

func locked(c chan int) {
	runtime.LockOSThread()
	<-c
}

func syscalls(fd int) {
	var b [1]byte
	syscall.Read(fd, b[:])
}

func labelled(c chan int) {
	pprof.Do(context.Background(), pprof.Labels("path", "/buy", "user id", "7\n\"x\""), func(ctx context.Context) {
		go func() { <-c }() // inherits
		pprof.Do(ctx, pprof.Labels("path", "/pay", "step", "1"), func(context.Context) {
			go func() { <-c }()
		})
		<-c
	})
}

func manyLabels(c chan int) {
	var list []string
	for i := 0; i < 20; i++ {
		list = append(list, fmt.Sprint("key", i), fmt.Sprint("value", i))
	}
	pprof.Do(context.Background(), pprof.Labels(list...), func(context.Context) { <-c })
}

var spins int

func spin() {
	for {
		spins++
	}
}

func handOver() {
	there, back := make(chan int), make(chan int)
	go func() {
		for {
			there <- 1
			<-back
		}
	}()
	for {
		<-there
		back <- 1
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write(dir string, debug int) {
	name := fmt.Sprintf("%s/dump.%d", dir, debug)
	f, err := os.Create(name + ".part")
	check(err)
	check(pprof.Lookup("goroutine").WriteTo(f, debug))
	check(f.Close())
	check(os.Rename(name+".part", name))
}

func main() {
	c := make(chan int)
	full := make(chan int, 1)
	full <- 1
	var b box
	b.mu.Lock()
	var w waiter = &b
	var wg sync.WaitGroup
	wg.Add(1)
	cond := sync.NewCond(&sync.Mutex{})
	var rw sync.RWMutex
	rw.Lock()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	var pipe [2]int
	check(syscall.Pipe(pipe[:]))

	go func() { <-c }()
	go func() { full <- 1 }()
	go func() { var none chan int; <-none }()
	go func() { select {} }()
	go func() {
		select {
		case <-c:
		case full <- 1:
		}
	}()
	go w.wait(c)
	go func() { w.wait(c) }()
	go b.lock()
	go wg.Wait()
	go rw.RLock()
	go func() { cond.L.Lock(); cond.Wait() }()
	go time.Sleep(time.Hour)
	go l.Accept()
	go syscalls(pipe[0])
	go outer(c)
	go recurse(30, c)
	go recurse(400, c)
	go panicking(c)
	go locked(c)
	go labelled(c)
	go manyLabels(c)
	for i := 0; i < 10; i++ {
		go func() { outer(c) }()
	}

	if len(os.Args) > 2 {
		go spin()
		go handOver()
	}

	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGUSR1)
	time.Sleep(200 * time.Millisecond)
	runtime.GC()
	fmt.Println("ready")
	for range ask {
		write(os.Args[1], 1)
		write(os.Args[1], 2)
	}
}
