// SPDX-License-Identifier: Apache-2.0

// fullload keeps every P busy with many goroutines that talk, compute, lock and yield without a pause.
//
//	fullload [-dur D] [-n PER P]
package main

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var (
	dur = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	n   = flag.Int("n", 4, "goroutines of each kind per P")

	mu   sync.Mutex
	work uint64
	done int64
)

func compute(n int) {
	x := atomic.LoadUint64(&work)
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	atomic.StoreUint64(&work, x)
}

func talker(in <-chan int, out chan<- int) {
	for v := range in {
		compute(200)
		out <- v
		atomic.AddInt64(&done, 1)
	}
}

func locker() {
	for {
		mu.Lock()
		compute(50)
		mu.Unlock()
		compute(500)
		atomic.AddInt64(&done, 1)
	}
}

func yielder() {
	for {
		compute(300)
		runtime.Gosched()
		atomic.AddInt64(&done, 1)
	}
}

func main() {
	flag.Parse()
	for i := 0; i < *n*runtime.GOMAXPROCS(0); i++ {
		a, b := make(chan int, 1), make(chan int, 1)
		go talker(a, b)
		go talker(b, a)
		a <- 1
		go locker()
		go yielder()
	}
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
	fmt.Println("rounds", atomic.LoadInt64(&done))
}
