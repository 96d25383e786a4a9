// SPDX-License-Identifier: Apache-2.0

// chain: requests that go through three goroutines, of which the last one takes a lock. Before every -slow'th request
// a fourth goroutine takes the lock; it keeps it, in a system call, for -hold from when the request comes for it.
// Each request prints how long it took. With -trace the program traces itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type call struct {
	n    int
	done chan int
}

var (
	mu      sync.Mutex
	table   = map[int]int{}
	inbox   = make(chan call)
	lookups = make(chan call)
	asked   int32
)

func keep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&ts, nil)
}

// refresh has the lock while it is in a system call.
func refresh(d time.Duration, locked chan bool) {
	mu.Lock()
	locked <- true
	for atomic.LoadInt32(&asked) == 0 {
		keep(time.Millisecond)
	}
	keep(d)
	mu.Unlock()
}

func get(n int) int {
	atomic.StoreInt32(&asked, 1)
	mu.Lock()
	defer mu.Unlock()
	table[n%16] = n
	return table[n%16]
}

func look() {
	for c := range lookups {
		c.done <- get(c.n)
	}
}

func route() {
	for c := range inbox {
		found := make(chan int)
		lookups <- call{c.n, found}
		c.done <- <-found
	}
}

func handle(n int, took chan time.Duration) {
	start := time.Now()
	ctx, task := trace.NewTask(context.Background(), "request")
	done := make(chan int)
	trace.WithRegion(ctx, "ask", func() {
		inbox <- call{n, done}
		<-done
	})
	task.End()
	took <- time.Since(start)
}

func main() {
	n := flag.Int("n", 20, "requests")
	slow := flag.Int("slow", 13, "every which is slow")
	hold := flag.Duration("hold", 150*time.Millisecond, "how long the lock is held then")
	file := flag.String("trace", "", "write the program's own trace to this file")
	wait := flag.Bool("wait", false, "begin when a line comes on standard input")
	flag.Parse()
	if *wait {
		fmt.Println("ready")
		fmt.Scanln()
	}
	if *file != "" {
		f, err := os.Create(*file)
		if err != nil {
			panic(err)
		}
		trace.Start(f)
		defer trace.Stop()
	}
	go route()
	go look()
	locked := make(chan bool)
	took := make(chan time.Duration)
	for i := 1; i <= *n; i++ {
		if i%*slow == 0 {
			atomic.StoreInt32(&asked, 0)
			go refresh(*hold, locked)
			<-locked
		}
		go handle(i, took)
		fmt.Println("request", i, int64(<-took))
	}
}
