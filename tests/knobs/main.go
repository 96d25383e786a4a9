// SPDX-License-Identifier: Apache-2.0

// Knobs: programs in which one part takes as long as a flag says, so that a prediction of `gotap whatif` can be compared
// with what happens (tests/knobs/judge). Each program counts its own units of work and how long they take.
//
//	knobs -program NAME -knob N -t 1s
//
// prints "PER_SECOND MEDIAN_US" of the time after a start of 200 ms.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var (
	program = flag.String("program", "", "which one")
	knob    = flag.Int("knob", 1000, "us, or what the program says")
	runFor  = flag.Duration("t", time.Second, "for how long to count")
)

var programs = map[string]func(){
	"cachefill": cachefill, "resize": resize, "calls": calls, "batches": batches, "pages": pages,
	"sorts": sorts, "logger": logger, "ticks": ticks, "saves": saves, "shards": shards,
}

var (
	done  atomic.Int64
	mu    sync.Mutex
	took  []time.Duration
	spent atomic.Uint64
)

// finished counts a unit of work that began at that time.
func finished(begin time.Time) {
	done.Add(1)
	mu.Lock()
	took = append(took, time.Since(begin))
	mu.Unlock()
}

// work computes for about that many us.
//
//go:noinline
func work(us int) {
	x := uint64(us) | 1
	for i := 0; i < us*600; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 42 {
		spent.Add(x)
	}
}

func wait(us int) { time.Sleep(time.Duration(us) * time.Microsecond) }

func main() {
	flag.Parse()
	run, ok := programs[*program]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such program")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(2)
	run()
	time.Sleep(200 * time.Millisecond)
	mu.Lock()
	took = nil
	mu.Unlock()
	from, begin := done.Load(), time.Now()
	time.Sleep(*runFor)
	n, seconds := done.Load()-from, time.Since(begin).Seconds()
	mu.Lock()
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	median := time.Duration(0)
	if len(took) > 0 {
		median = took[len(took)/2]
	}
	fmt.Printf("%.2f %.1f\n", float64(n)/seconds, float64(median)/1e3)
	os.Exit(0)
}
