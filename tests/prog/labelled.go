// SPDX-License-Identifier: Apache-2.0

// labelled has goroutines with profiler labels, old and new ones. Each says with trace.Log, category "truth", which
// labels it has, as key=value pairs sorted by key and separated by ", ", after each change and whenever it has been
// woken.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"runtime/trace"
	"sort"
	"strings"
	"syscall"
	"time"
)

func say(ctx context.Context) {
	var all []string
	pprof.ForLabels(ctx, func(key, value string) bool {
		all = append(all, key+"="+value)
		return true
	})
	sort.Strings(all)
	trace.Log(ctx, "truth", strings.Join(all, ", "))
}

// It has its labels from before the recording.
func old(n int) {
	pprof.Do(context.Background(), pprof.Labels("kind", "old", "n", fmt.Sprint(n)), func(ctx context.Context) {
		for {
			say(ctx)
			time.Sleep(time.Duration(5+n) * time.Millisecond)
		}
	})
}

func child(ctx context.Context, depth int, done chan bool) {
	say(ctx)
	if depth > 0 {
		inner := make(chan bool)
		go child(ctx, depth-1, inner)
		<-inner
	}
	done <- true
}

func request(id int) {
	base := context.Background()
	say(base)
	pprof.Do(base, pprof.Labels("path", "/buy", "request", fmt.Sprint(id)), func(ctx context.Context) {
		done := make(chan bool)
		say(ctx)
		go child(ctx, 2, done)
		<-done
		pprof.Do(ctx, pprof.Labels("path", "/pay \"now\"", "step", strings.Repeat("s", id%70)), func(ctx context.Context) {
			say(ctx)
			go child(ctx, 0, done)
			<-done
		})
		say(ctx)
	})
	say(base)
}

func main() {
	many := flag.Int("many", 9, "labels of one goroutine more")
	requests := flag.Int("requests", 0, "end after so many (0: never)")
	signalled := flag.Bool("signal", false, "count requests from SIGUSR1 on")
	flag.Parse()
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	for n := 0; n < 3; n++ {
		go old(n)
	}
	go func() {
		var list []string
		for i := 0; i < *many; i++ {
			list = append(list, fmt.Sprintf("key%02d", i), fmt.Sprint(i))
		}
		for {
			pprof.Do(context.Background(), pprof.Labels(list...), say)
			time.Sleep(7 * time.Millisecond)
		}
	}()
	time.Sleep(50 * time.Millisecond)
	fmt.Println("ready")
	for id, counted := 0, 0; *requests == 0 || counted < *requests; id++ {
		done := make(chan bool)
		go func() {
			request(id)
			done <- true
		}()
		<-done
		time.Sleep(time.Millisecond)
		select {
		case <-begin:
			*signalled = false
		default:
		}
		if !*signalled {
			counted++
		}
	}
}
