// SPDX-License-Identifier: Apache-2.0

// turn changes what many goroutines do, all at once, on SIGUSR1: those that worked park for good, those that waited end,
// others begin and park, some leave a system call and some enter one. A load of its own goes on all the time. It prints
// "turned" when all are where they stay.
//
//	turn [-n PER KIND] [-load PER P] [-dur D]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

var (
	n    = flag.Int("n", 20, "goroutines of each kind")
	load = flag.Int("load", 1, "pairs of goroutines per P that talk, some 15 records each millisecond")
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")

	turned   = make(chan struct{})
	never    = make(chan int)
	settled  sync.WaitGroup
	unlocked sync.Mutex
)

func park() {
	settled.Done()
	<-never
}

// Works until the turn, then parks.
func worker() {
	for {
		select {
		case <-turned:
			park()
		default:
			unlocked.Lock()
			unlocked.Unlock()
			runtime.Gosched()
			time.Sleep(time.Millisecond)
		}
	}
}

// Waits until the turn, then ends.
func ender() {
	defer settled.Done()
	<-turned
}

func newcomer() { park() }

func read(fd int) {
	var b [1]byte
	syscall.Read(fd, b[:])
}

// In a system call until the turn, then parked.
func leaver(fd int) {
	read(fd)
	park()
}

// Parked until the turn, then in a system call for good.
func enterer(fd int) {
	<-turned
	settled.Done()
	read(fd)
}

func talker(in <-chan int, out chan<- int) {
	for v := range in {
		if v%4 == 0 {
			time.Sleep(time.Millisecond)
		}
		out <- v + 1
	}
}

func pipe() (r, w int) {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		panic(err)
	}
	return p[0], p[1]
}

func main() {
	flag.Parse()
	turn := make(chan os.Signal, 1)
	signal.Notify(turn, syscall.SIGUSR1)
	for i := 0; i < *load*runtime.GOMAXPROCS(0); i++ {
		a, b := make(chan int), make(chan int)
		go talker(a, b)
		go talker(b, a)
		a <- 1
	}
	var ends []int
	settled.Add(5 * *n)
	for i := 0; i < *n; i++ {
		go worker()
		go ender()
		r, w := pipe()
		ends = append(ends, w)
		go leaver(r)
		r, _ = pipe()
		go enterer(r)
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Println("ready")
	if *dur != 0 {
		time.AfterFunc(*dur, func() { os.Exit(0) })
	}
	<-turn
	close(turned)
	for _, w := range ends {
		syscall.Write(w, []byte{1})
		go newcomer()
	}
	settled.Wait()
	time.Sleep(100 * time.Millisecond)
	fmt.Println("turned")
	select {}
}
