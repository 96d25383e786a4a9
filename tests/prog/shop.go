// SPDX-License-Identifier: Apache-2.0

// shop: clients send jobs to workers and wait for the answers; a worker looks something up under a lock, stores it and
// computes. With -slow PLACE that place is slower; all others stay as they are. It writes its own trace.
package main

import (
	"flag"
	"log"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

type job struct{ answer chan int }

var (
	slow  = flag.String("slow", "", "lookup, store, compute, audit (a wait that is new), twice (store comes more often)")
	table sync.Mutex
	jobs  = make(chan job)
	audit = make(chan int)
	done  int64 // requests
)

func burn(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// pick is long if that is the place to be slow.
func pick(place string, fast, long time.Duration) time.Duration {
	if *slow == place {
		return long
	}
	return fast
}

//go:noinline
func lookup() {
	table.Lock()
	defer table.Unlock()
	time.Sleep(pick("lookup", 100*time.Microsecond, 20*time.Millisecond))
}

//go:noinline
func store() {
	time.Sleep(pick("store", 300*time.Microsecond, 10*time.Millisecond))
}

//go:noinline
func compute() {
	burn(pick("compute", 50*time.Microsecond, 10*time.Millisecond))
}

//go:noinline
func handle(j job) {
	lookup()
	store()
	if *slow == "twice" {
		store()
		store()
	}
	if *slow == "audit" {
		audit <- 1
	}
	compute()
	j.answer <- 1
}

func worker() {
	for j := range jobs {
		handle(j)
	}
}

func auditor() {
	for range audit {
		time.Sleep(10 * time.Millisecond)
	}
}

// client has a goroutine for each request.
func client() {
	for {
		j := job{make(chan int)}
		go request(j)
		<-j.answer
		atomic.AddInt64(&done, 1)
		time.Sleep(500 * time.Microsecond)
	}
}

func request(j job) { jobs <- j }

func main() {
	path := flag.String("trace", "", "file")
	length := flag.Duration("dur", time.Second, "of the trace, at least")
	requests := flag.Int64("requests", 0, "that end meanwhile, at least: on a busy machine that takes longer")
	flag.Parse()
	f, err := os.Create(*path)
	if err != nil {
		log.Fatal(err)
	}
	for i := 0; i < 3; i++ {
		go worker()
		go client()
	}
	go auditor()
	time.Sleep(100 * time.Millisecond)
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	before := atomic.LoadInt64(&done)
	time.Sleep(*length)
	for atomic.LoadInt64(&done) < before+*requests {
		time.Sleep(time.Millisecond)
	}
	trace.Stop()
}
