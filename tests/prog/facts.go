// SPDX-License-Identifier: Apache-2.0

// facts does, one after the other, what triggers of gotap record --on look for, such as a long wait for a channel.
//
//	facts [-pause D] [-rounds N] FACT[:D]...
//
// For each fact it prints "FACT GOROUTINE BEGIN END": the id of its goroutine (0: it has none), and the time between
// which times of CLOCK_MONOTONIC it happened, in ns. D is how long it lasts. Between two facts the program sleeps. For
// runnable, stw and p99 it must run with GODEBUG=asyncpreemptoff=1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var (
	pause  = flag.Duration("pause", 200*time.Millisecond, "between two facts")
	rounds = flag.Int("rounds", 1, "how often")
)

var keep [][]byte

//go:nosplit
func now() int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func goid() int {
	var buf [64]byte
	fields := strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))
	id, _ := strconv.Atoi(fields[1])
	return id
}

// spin keeps its P: as it is nosplit, and calls only such functions, it has no point where it can be preempted.
//
//go:nosplit
func spin(d time.Duration) {
	for end := now() + int64(d); now() < end; {
	}
}

func nanosleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}

type fact struct {
	g          int
	begin, end int64
}

//go:noinline
func waitForIt(c chan bool, f *fact) {
	f.g = goid()
	f.begin = now()
	<-c
	f.end = now()
}

// blocked: a goroutine waits for a channel for d, which counts from when it runs: on a busy machine that may be late.
func blocked(d time.Duration) (f fact) {
	c, runs, done := make(chan bool), make(chan bool), make(chan bool)
	go func() { runs <- true; waitForIt(c, &f); done <- true }()
	<-runs
	time.Sleep(d)
	c <- true
	<-done
	return
}

// forever: the same, but the wait does not end.
func forever(d time.Duration) (f fact) {
	runs := make(chan bool)
	go func() { runs <- true; waitForIt(make(chan bool), &f) }()
	<-runs
	time.Sleep(d)
	f.end = now()
	return
}

func alone(do func()) {
	old := runtime.GOMAXPROCS(1)
	do()
	runtime.GOMAXPROCS(old)
}

func runnable(d time.Duration) (f fact) {
	alone(func() {
		done := make(chan bool)
		f.begin = now()
		go func() { f.g, f.end = goid(), now(); done <- true }()
		spin(d)
		<-done
	})
	return
}

func inSyscall(d time.Duration) (f fact) {
	f.g = goid()
	f.begin = now()
	nanosleep(d)
	f.end = now()
	return
}

func stw(d time.Duration) (f fact) {
	var stats runtime.MemStats
	running := make(chan bool)
	go func() { close(running); spin(d) }()
	<-running
	f.g = goid()
	f.begin = now()
	runtime.ReadMemStats(&stats)
	f.end = now()
	return
}

func gc(time.Duration) (f fact) {
	f.begin = now()
	runtime.GC()
	f.end = now()
	return
}

func goroutines(time.Duration) (f fact) {
	c := make(chan bool)
	f.begin = now()
	for i := 0; i < 200; i++ {
		go func() { <-c }()
	}
	f.end = now()
	time.Sleep(*pause / 2)
	close(c)
	return
}

func heap(time.Duration) (f fact) {
	f.begin = now()
	for i := 0; i < 64; i++ {
		keep = append(keep, make([]byte, 1<<20))
	}
	f.end = now()
	keep = nil
	runtime.GC()
	return
}

func region(d time.Duration) (f fact) {
	f.g = goid()
	f.begin = now()
	trace.WithRegion(context.Background(), "slow region", func() { time.Sleep(d) })
	f.end = now()
	return
}

func task(d time.Duration) (f fact) {
	f.g = goid()
	f.begin = now()
	_, t := trace.NewTask(context.Background(), "slow task")
	time.Sleep(d)
	t.End()
	f.end = now()
	return
}

func logged(time.Duration) (f fact) {
	f.g = goid()
	f.begin = now()
	trace.Log(context.Background(), "db", "query timed out")
	f.end = now()
	return
}

//go:noinline
func longLived(d time.Duration, f *fact, done chan bool) {
	f.g = goid()
	f.begin = now()
	time.Sleep(d)
	f.end = now()
	done <- true
}

func lives(d time.Duration) (f fact) {
	done := make(chan bool)
	go longLived(d, &f, done)
	<-done
	return
}

// p99: 300 goroutines wait for d for the only P.
func p99(d time.Duration) (f fact) {
	alone(func() {
		var all sync.WaitGroup
		all.Add(300)
		f.begin = now()
		for i := 0; i < 300; i++ {
			go all.Done()
		}
		spin(d)
		all.Wait()
		f.end = now()
	})
	return
}

// busy: for d two goroutines hand work to each other, without a timer; then the program only sleeps, for d/4.
func busy(d time.Duration) (f fact) {
	a, b := make(chan bool), make(chan bool)
	f.begin = now()
	end := f.begin + int64(d)
	side := func(in, out chan bool) {
		for range in {
			nanosleep(time.Millisecond)
			if now() > end {
				close(out)
				return
			}
			out <- true
		}
		close(out)
	}
	go side(a, b)
	go side(b, a)
	a <- true
	time.Sleep(d + d/4)
	f.end = now()
	return
}

// hang: a goroutine hands something over, and from f.begin on the program only wakes for a ticker.
func hang(d time.Duration) (f fact) {
	c := make(chan bool)
	tick := time.NewTicker(5 * time.Millisecond)
	go func() { c <- true }()
	<-c
	f.begin = now()
	for end := f.begin + int64(d); now() < end; {
		<-tick.C
	}
	f.end = now()
	tick.Stop()
	return
}

func crash(how string) {
	switch how {
	case "panic":
		panic("the end")
	case "fatal":
		var all sync.Mutex
		all.Unlock()
	case "nil":
		var p *int
		*p = 1
	case "signal":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "exit":
		os.Exit(3)
	}
}

func main() {
	kinds := map[string]func(time.Duration) fact{
		"blocked": blocked, "forever": forever, "runnable": runnable, "syscall": inSyscall, "stw": stw, "gc": gc,
		"goroutines": goroutines, "heap": heap, "region": region, "task": task, "log": logged, "func": lives, "p99": p99,
		"busy": busy, "hang": hang,
	}
	flag.Parse()
	fmt.Println("ready")
	for i := 0; i < *rounds; i++ {
		for _, arg := range flag.Args() {
			parts := strings.SplitN(arg+":50ms", ":", 3)
			time.Sleep(*pause)
			if parts[0] == "crash" {
				crash(parts[1])
			}
			d, err := time.ParseDuration(parts[1])
			if err != nil || kinds[parts[0]] == nil {
				fmt.Println("no such fact:", arg)
				os.Exit(1)
			}
			f := kinds[parts[0]](d)
			fmt.Println(parts[0], f.g, f.begin, f.end)
		}
	}
	time.Sleep(*pause)
}
