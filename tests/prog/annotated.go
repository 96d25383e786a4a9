// SPDX-License-Identifier: Apache-2.0

// annotated has tasks, regions and logs of every kind, in goroutines that live long and short, in any release from Go
// 1.15 on. It traces itself from SIGUSR1 on. It prints "ready" when all its workers run.
//
//	annotated [-trace FILE] [-dur D] [-rounds N] [-tail D] [-pause D]
package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/trace"
	"strings"
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

var long = strings.Repeat("long text ", 30)

func inOthers(ctx context.Context, ends bool) {
	done := make(chan bool)
	go func() {
		defer close(done)
		trace.WithRegion(ctx, "other goroutine", func() {
			if ends {
				runtime.Goexit() // ends the region by a deferred call
			}
		})
	}()
	<-done
}

func annotating() {
	for i := 0; running(); i++ {
		ctx, task := trace.NewTask(context.Background(), "outer")
		trace.WithRegion(ctx, "in task", func() {
			inner, subtask := trace.NewTask(ctx, "inner")
			trace.Log(inner, "key", fmt.Sprint("round ", i))
			trace.WithRegion(inner, "nested", func() { time.Sleep(*pause / 4) })
			region := trace.StartRegion(inner, "started")
			trace.Logf(inner, "formatted", "number %d", i)
			region.End()
			subtask.End()
		})
		inOthers(ctx, i%2 == 0)
		switch i % 3 {
		case 0:
			_, other := trace.NewTask(ctx, long)
			trace.Log(ctx, "long", long)
			other.End()
		case 1:
			trace.WithRegion(context.Background(), "no task", func() {})
		}
		rest()
		task.End()
	}
}

func traced() {
	if *traceFile == "" {
		fmt.Println("ready")
	} else {
		awaitSignal()
	}
	ownTraceOf(*traceFile, func() { enough(*dur, &made, *rounds) })
}

func main() {
	flag.Parse()
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			annotating()
		}()
	}
	traced()
	time.Sleep(*tail)
	atomic.StoreInt32(&stopped, 1)
	wg.Wait()
	fmt.Println("done")
}
