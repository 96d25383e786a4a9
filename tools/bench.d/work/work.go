// SPDX-License-Identifier: Apache-2.0

// work is the program that `make bench` traces. It does one kind of work in slices, on demand, and tells what each
// slice cost in CPU time, so that two ways of tracing are compared in one process, one after the other.
//
//	work NAME [-pairs N]
//
// Commands on stdin, one per line; each is answered by one line on stdout:
//
//	run MS [RATE]   works for MS milliseconds (at most RATE operations a second): "OPERATIONS CPU_NS WALL_NS"
//	trace FILE      the runtime's own tracer on: "ok"
//	untrace         and off: "ok"
//	address         where the works "http", "mux" and "tls" serve: "HOST:PORT"
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A worker does n operations.
type worker func(n int)

var works = map[string]func() worker{
	"pingpong": func() worker { return pingpong(0) },
	"deep":     func() worker { return pingpong(64) },
	"mutex":    mutex,
	"syscall":  func() worker { return syscalls },
	"spawn":    func() worker { return spawn },
	"pull":     func() worker { return pull },
	"alloc":    func() worker { return alloc },
	"flood":    flood,
	"http":     serve,
	"tls":      serveTLS,
	"mux":      serveMux,
	"ask":      ask,
	"query":    query,
}

// pingpong: an operation is a round trip over two unbuffered channels, made depth calls deep.
func pingpong(depth int) worker {
	ping, pong := make(chan int), make(chan int)
	go below(depth, func() {
		for v := range ping {
			pong <- v + 1
		}
	})
	return func(n int) {
		below(depth, func() {
			for i := 0; i < n; i++ {
				ping <- i
				<-pong
			}
		})
	}
}

//go:noinline
func below(depth int, f func()) {
	if depth > 0 {
		below(depth-1, f)
	} else {
		f()
	}
	runtime.KeepAlive(depth)
}

// mutex: an operation is a hand-over of a lock to a goroutine that waits for it.
func mutex() worker {
	return func(n int) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for k := 0; k < 2; k++ {
			wg.Add(1)
			go func() {
				for i := 0; i < n/2; i++ {
					mu.Lock()
					runtime.Gosched()
					mu.Unlock()
				}
				wg.Done()
			}()
		}
		wg.Wait()
	}
}

func syscalls(n int) {
	for i := 0; i < n; i++ {
		syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
	}
}

// spawn: an operation is the whole life of a goroutine.
func spawn(n int) {
	var wg sync.WaitGroup
	for done := 0; done < n; done += 50 {
		wg.Add(50)
		for k := 0; k < 50; k++ {
			go wg.Done()
		}
		wg.Wait()
	}
}

var sink []byte

// alloc: an operation allocates 1 KiB.
func alloc(n int) {
	for i := 0; i < n; i++ {
		sink = make([]byte, 1024)
	}
}

// flood: as many pairs as the machine has CPUs play ping-pong, which is as fast as records can come.
func flood() worker {
	pairs := make([]worker, runtime.NumCPU())
	for i := range pairs {
		pairs[i] = pingpong(0)
	}
	return func(n int) {
		var wg sync.WaitGroup
		for _, play := range pairs {
			wg.Add(1)
			go func() {
				play(n / len(pairs))
				wg.Done()
			}()
		}
		wg.Wait()
	}
}

func cpuTime() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

// run works in portions short enough to end in time and to hold the rate.
func run(work worker, length time.Duration, rate int) string {
	portion := 500
	if rate > 0 {
		portion = min(portion, max(10, rate/1000))
	}
	cpu, start, ops := cpuTime(), time.Now(), 0
	for time.Since(start) < length {
		work(portion)
		ops += portion
		if rate > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(ops) * time.Second / time.Duration(rate))))
		}
	}
	return fmt.Sprint(ops, " ", cpuTime()-cpu, " ", time.Since(start).Nanoseconds())
}

func startTrace(path string) string {
	f, err := os.Create(path)
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

func obey(work worker, line string) string {
	words := strings.Fields(line)
	switch {
	case len(words) >= 2 && words[0] == "run":
		var ms, rate int
		fmt.Sscan(words[1], &ms)
		if len(words) > 2 {
			fmt.Sscan(words[2], &rate)
		}
		return run(work, time.Duration(ms)*time.Millisecond, rate)
	case len(words) == 2 && words[0] == "trace":
		return startTrace(words[1])
	case len(words) == 1 && words[0] == "untrace":
		trace.Stop()
		return "ok"
	case line == "address":
		return address
	case len(words) == 2 && words[0] == "sample":
		fmt.Sscan(words[1], &runtime.MemProfileRate)
		return "done"
	}
	return "unknown command"
}

func main() {
	if len(os.Args) != 2 || works[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "work: give the name of a work")
		os.Exit(2)
	}
	work := works[os.Args[1]]()
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(obey(work, in.Text()))
	}
}
