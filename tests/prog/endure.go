// SPDX-License-Identifier: Apache-2.0

// endure does things for which a recorder might keep memory: logs with texts that do not repeat, goroutines that are
// created and end at once, and some tasks that never end. N is their number per second.
//
//	endure [-logs N] [-goroutines N] [-tasks N] [-dur D]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

var (
	logs       = flag.Int("logs", 20000, "unique logs of 200 bytes per second")
	goroutines = flag.Int("goroutines", 50000, "goroutines per second that are created and end")
	tasks      = flag.Int("tasks", 1000, "tasks per second that never end")
	dur        = flag.Duration("dur", 0, "how long to go on (0: for ever)")
)

var filler = strings.Repeat("x", 180)

// due does what is due of so many a second, and returns how many there have been then.
func due(since time.Duration, perSecond, done int, do func(i int)) int {
	for want := int(since.Seconds() * float64(perSecond)); done < want; done++ {
		do(done)
	}
	return done
}

func main() {
	flag.Parse()
	ctx := context.Background()
	var ended sync.WaitGroup
	fmt.Println("ready")
	var nLogs, nGoroutines, nTasks int
	start := time.Now()
	for *dur == 0 || time.Since(start) < *dur {
		since := time.Since(start)
		nLogs = due(since, *logs, nLogs, func(i int) { trace.Log(ctx, "endure", fmt.Sprintf("%020d%s", i, filler)) })
		nGoroutines = due(since, *goroutines, nGoroutines, func(int) {
			ended.Add(1)
			go ended.Done()
		})
		nTasks = due(since, *tasks, nTasks, func(int) { trace.NewTask(ctx, "endless") })
		ended.Wait()
		time.Sleep(time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "logs", nLogs, "goroutines", nGoroutines, "tasks", nTasks)
}
