// SPDX-License-Identifier: Apache-2.0

// hungry holds more and more memory, most of it in main.leak and a part in main.keep, until it has none.
//
//	-first MB      holds so much before it begins
//	-step KB, -each TIME   how fast it grows
//	-stop MB       holds so much and waits; 0: goes on
//	-wait          waits for SIGUSR1 before it begins
//	-off           without the heap profile
//	-fatal         the limit is RLIMIT_AS: the runtime itself gives up
//	-panic         panics with such an error of another program
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

var leaked, kept [][]byte

//go:noinline
func leak(n int) { leaked = append(leaked, touched(n)) }

//go:noinline
func keep(n int) { kept = append(kept, touched(n)) }

func touched(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// limitSpace leaves the address space so many bytes more.
func limitSpace(more uint64) {
	var pages uint64
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(string(text), &pages)
	limit := syscall.Rlimit{Cur: pages*4096 + more, Max: pages*4096 + more}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
}

func main() {
	first := flag.Int("first", 8, "")
	step := flag.Int("step", 256, "")
	each := flag.Duration("each", 5*time.Millisecond, "")
	stop := flag.Int("stop", 0, "")
	wait := flag.Bool("wait", false, "")
	off := flag.Bool("off", false, "")
	fatal := flag.Bool("fatal", false, "")
	panics := flag.Bool("panic", false, "")
	flag.Parse()
	// The linker leaves the profile on where something may read it.
	if *off || pprof.Lookup("heap") == nil {
		runtime.MemProfileRate = 0
	}
	for i := 0; i < *first; i++ {
		keep(1 << 20)
	}
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	fmt.Println("ready")
	if *wait {
		<-begin
	}
	if *panics {
		panic(errors.New("pq: out of memory"))
	}
	if *fatal {
		limitSpace(256 << 20)
	}
	for held := *first << 10; ; held += *step {
		if *stop > 0 && held >= *stop<<10 {
			time.Sleep(time.Hour)
		}
		if held/(*step)%8 == 0 {
			keep(*step << 10)
		} else {
			leak(*step << 10)
		}
		time.Sleep(*each)
	}
}
