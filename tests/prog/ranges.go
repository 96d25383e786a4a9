// SPDX-License-Identifier: Apache-2.0

// ranges does what a trace has besides the scheduler's events: it allocates so that the collector runs and mutators
// assist, stops the world for several reasons, and annotates itself with tasks, regions and logs. It can trace itself
// meanwhile. It prints "ready" when all its workers run.
//
//	ranges [-trace FILE] [-delay D] [-dur D] [-rounds N] [-tail D] [-pause D] [-limit MIB]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	traceFile = flag.String("trace", "", "write the program's own execution trace to this file")
	delay     = flag.Duration("delay", time.Hour, "longest wait for SIGUSR1, which starts the own trace")
	dur       = flag.Duration("dur", 2*time.Second, "length of the own trace")
	rounds    = flag.Int64("rounds", 0, "the own trace also has so many rounds of workers, however slow the machine is")
	tail      = flag.Duration("tail", 500*time.Millisecond, "time to go on for after the own trace")
	pause     = flag.Duration("pause", 2*time.Millisecond, "pause of every worker between two rounds")
	limit     = flag.Int64("limit", 0, "soft limit of memory, MiB (0: none)")
)

// setMemoryLimit is debug.SetMemoryLimit where the release has it (ranges_limit.go).
var setMemoryLimit func(int64) int64

var (
	stopped int32
	made    int64 // rounds, by all workers
)

func running() bool { return atomic.LoadInt32(&stopped) == 0 }

// rest sleeps between two rounds of a worker, and counts the round.
func rest(pauses time.Duration) {
	time.Sleep(pauses * *pause)
	atomic.AddInt64(&made, 1)
}

type node struct {
	next *node
	data [112]byte
}

func list(n int) *node {
	var head *node
	for i := 0; i < n; i++ {
		head = &node{next: head}
	}
	return head
}

// allocating keeps a part of what it allocates for a while, so that sweeping finds spans of every kind.
func allocating() {
	var kept [8]*node
	for i := 0; running(); i++ {
		kept[i%len(kept)] = list(500 + 500*(i%3))
		runtime.KeepAlive(make([]byte, 40<<10))
		rest(1)
	}
	runtime.KeepAlive(kept)
}

func stopping() {
	var stats runtime.MemStats
	buf := make([]byte, 1<<16)
	records := make([]runtime.StackRecord, 1000)
	n := runtime.GOMAXPROCS(0)
	for i := 0; running(); i++ {
		switch i % 5 {
		case 0:
			runtime.ReadMemStats(&stats)
		case 1:
			runtime.Stack(buf, true)
		case 2:
			debug.SetGCPercent(20 + i%2*10)
		case 3:
			runtime.GoroutineProfile(records)
		case 4:
			runtime.GOMAXPROCS(n + i/5%2)
		}
		rest(10)
	}
}

var (
	long    = strings.Repeat("long text ", 300)
	strange = "not UTF-8: \xff\xfe \xc3( and a \x00 zero"
)

func annotating() {
	for i := 0; running(); i++ {
		ctx, task := trace.NewTask(context.Background(), "outer")
		trace.WithRegion(ctx, "in task", func() {
			inner, subtask := trace.NewTask(ctx, "")
			trace.Log(inner, "key", fmt.Sprint("round ", i))
			trace.WithRegion(inner, "nested", func() { time.Sleep(*pause / 4) })
			region := trace.StartRegion(inner, "started")
			trace.Logf(inner, "", "formatted %d", i)
			region.End()
			subtask.End()
		})
		done := make(chan bool)
		go func() {
			defer close(done)
			trace.WithRegion(ctx, "other goroutine", func() {
				if i%2 == 0 {
					runtime.Goexit() // ends the region by a deferred call
				}
			})
		}()
		<-done
		switch i % 4 {
		case 0:
			_, other := trace.NewTask(ctx, long)
			trace.Log(ctx, long, long)
			other.End()
		case 1:
			trace.WithRegion(ctx, strange, func() { trace.Log(ctx, strange, strange) })
		case 2:
			trace.Log(context.Background(), "no task", "")
			trace.WithRegion(context.Background(), "", func() {})
		}
		rest(1)
		task.End()
	}
}

// longTasks live through the start and end of any trace.
func longTasks() {
	for running() {
		_, task := trace.NewTask(context.Background(), "long")
		time.Sleep(100 * *pause)
		task.End()
	}
}

func main() {
	flag.Parse()
	if *limit > 0 {
		setMemoryLimit(*limit << 20)
	}
	debug.SetGCPercent(20)
	live := list(4 << 20 / 120)
	var wg sync.WaitGroup
	for _, worker := range []func(){allocating, allocating, stopping, annotating, longTasks} {
		wg.Add(1)
		go func(worker func()) {
			defer wg.Done()
			worker()
		}(worker)
	}
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	fmt.Println("ready")
	select {
	case <-begin:
	case <-time.After(*delay):
	}
	ownTraceOf(*traceFile, func() { enough(*dur, &made, *rounds) })
	time.Sleep(*tail)
	atomic.StoreInt32(&stopped, 1)
	wg.Wait()
	runtime.KeepAlive(live)
	fmt.Println("done")
}
