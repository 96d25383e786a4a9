// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// memory takes and gives back spans of every kind and stacks of every size: small and large objects, with and without
// pointers, that live for a while; goroutines whose stacks grow, and shrink when the collector finds them too large.
// It can trace itself meanwhile, from SIGUSR1 on. It prints "ready" when all its workers run.
//
//	memory [-trace FILE] [-dur D] [-rounds N] [-tail D] [-pause D]
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
	traceFile = flag.String("trace", "", "write the program's own execution trace to this file, from SIGUSR1 on")
	dur       = flag.Duration("dur", time.Second, "length of the own trace, or of the run without one")
	rounds    = flag.Int64("rounds", 0, "the own trace also has so many rounds of workers, however slow the machine is")
	tail      = flag.Duration("tail", 100*time.Millisecond, "time to go on for after that")
	pause     = flag.Duration("pause", 2*time.Millisecond, "pause of every worker between two rounds")
)

var (
	stopped int32
	made    int64 // rounds, by all workers
)

func running() bool { return atomic.LoadInt32(&stopped) == 0 }

// rest sleeps between two rounds of a worker, and counts the round.
func rest() {
	time.Sleep(*pause)
	atomic.AddInt64(&made, 1)
}

type node struct {
	next *node
	data [6]uint64
}

func objects() {
	var kept [64]any
	for i := 0; running(); i++ {
		var head *node
		for range 200 {
			head = &node{next: head}
		}
		kept[i%64] = head
		kept[(i+7)%64] = make([]byte, 16<<(i%14)) // 16 bytes to 128 KiB: all classes, and larger ones
		kept[(i+19)%64] = make([]*node, 3<<(i%11))
		rest()
	}
	runtime.KeepAlive(kept[:])
}

//go:noinline
func deep(n int) int {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n > 0 {
		return deep(n-1) + int(frame[n%512])
	}
	return 0
}

// stacks: each goroutine grows to its own size, waits with a small stack for a collection, and ends.
func stacks() {
	for i := 0; running(); i++ {
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				deep(2 << ((i + k) % 7))
				time.Sleep(*pause)
			}()
		}
		if i%8 == 0 {
			runtime.GC()
		}
		wg.Wait()
		rest()
	}
}

func traced() {
	if *traceFile != "" {
		awaitSignal()
	}
	ownTraceOf(*traceFile, func() { enough(*dur, &made, *rounds) })
}

func main() {
	flag.Parse()
	var wg sync.WaitGroup
	for _, worker := range []func(){objects, objects, stacks} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			worker()
		}()
	}
	if *traceFile == "" {
		fmt.Println("ready")
	}
	traced()
	time.Sleep(*tail)
	atomic.StoreInt32(&stopped, 1)
	wg.Wait()
	fmt.Println("done")
}
