// SPDX-License-Identifier: Apache-2.0

// hungry holds more and more memory, most of it in main.leak and a part in main.keep, until it has none.
//
//	-first MB      holds so much before it begins
//	-step KB, -each TIME   how fast it grows
//	-stop MB       holds so much and waits; 0: goes on
//	-off           without the heap profile
//	-fatal         the limit is RLIMIT_AS: the runtime itself gives up
package main

import (
	"flag"
	"fmt"
	"os"
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

func main() {
	first := flag.Int("first", 8, "")
	step := flag.Int("step", 256, "")
	each := flag.Duration("each", 5*time.Millisecond, "")
	stop := flag.Int("stop", 0, "")
	off := flag.Bool("off", false, "")
	fatal := flag.Bool("fatal", false, "")
	flag.Parse()
	// The linker leaves the profile on where something may read it.
	if *off || pprof.Lookup("heap") == nil {
		runtime.MemProfileRate = 0
	}
	if *fatal {
		limit := syscall.Rlimit{Cur: 1 << 30, Max: 1 << 30}
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
			panic(err)
		}
	}
	for i := 0; i < *first; i++ {
		keep(1 << 20)
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
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
