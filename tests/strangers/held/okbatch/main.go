// SPDX-License-Identifier: Apache-2.0

// Healthy by design: a batch that uses all CPUs all the time.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type block struct {
	number int
	sum    [32]byte
}

// hashBlock needs some milliseconds of CPU.
func hashBlock(b *block) {
	b.sum = sha256.Sum256([]byte(strconv.Itoa(b.number)))
	for n := 0; n < 20000; n++ {
		b.sum = sha256.Sum256(b.sum[:])
	}
}

// hashBlocks takes one block after the other until the time is over.
func hashBlocks(next *atomic.Int64, until time.Time, took *timings) {
	for began := time.Now(); began.Before(until); began = time.Now() {
		b := &block{number: int(next.Add(1))}
		hashBlock(b)
		took.add(time.Since(began))
	}
}

func main() {
	flag.Parse()
	var took timings
	var next atomic.Int64
	var wg sync.WaitGroup
	until := time.Now().Add(*runFor)
	for n := 0; n < runtime.GOMAXPROCS(0); n++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			hashBlocks(&next, until, &took)
		}()
	}
	wg.Wait()
	took.print()
}

// timings has how long each operation took, for the line that is printed at exit.
type timings struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (t *timings) add(d time.Duration) {
	t.mu.Lock()
	t.taken = append(t.taken, d)
	t.mu.Unlock()
}

func (t *timings) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	sort.Slice(t.taken, func(i, j int) bool { return t.taken[i] < t.taken[j] })
	if n := len(t.taken); n > 0 {
		fmt.Printf("ops=%d p50=%v p99=%v max=%v\n", n, t.taken[n/2], t.taken[n*99/100], t.taken[n-1])
	}
}
