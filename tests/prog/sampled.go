// SPDX-License-Identifier: Apache-2.0

// sampled uses the CPU in every way that a sample can meet: in Go, in the kernel, in C, on the system stack, in
// goroutines that live long or short. It can trace itself meanwhile, with its own CPU profiler on. It prints "ready"
// when all its workers run.
//
//	sampled [-trace FILE] [-dur D] [-tail D] [-outside]
//
// With -outside it is in syscalls and in the vDSO almost all the time.
package main

/*
static unsigned long c_burn(unsigned long n)
{
	volatile unsigned long x = 1;
	while (n--)
		x = x * 3 + 1;
	return x;
}
*/
import "C"

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	traceFile = flag.String("trace", "", "write the program's own execution trace to this file, from SIGUSR1 on")
	dur       = flag.Duration("dur", 3*time.Second, "length of the own trace, at least, or of the run without one")
	outside   = flag.Bool("outside", false, "only syscalls and time.Now")
	tail      = flag.Duration("tail", 100*time.Millisecond, "time to go on for after that")
)

var (
	stopped int32
	sink    uint64
)

func running() bool { return atomic.LoadInt32(&stopped) == 0 }

//go:noinline
func burn(n int) (x uint64) {
	x = 1
	for i := 0; i < n; i++ {
		x = x*3 + 1
	}
	return x
}

// Each part takes about a quarter of a millisecond, so that parts are interrupted now and then, but not mostly.

//go:noinline
func inGo() { atomic.AddUint64(&sink, burn(200_000)) }

//go:noinline
func deeper(n int) {
	if n == 0 {
		inGo()
		return
	}
	deeper(n - 1)
}

//go:noinline
func inC() { atomic.AddUint64(&sink, uint64(C.c_burn(100_000))) }

var (
	zero *os.File
	room = make([]byte, 8<<20)
	now  time.Time
)

//go:noinline
func inKernel(buf []byte) { syscall.Read(int(zero.Fd()), buf) }

//go:noinline
func reads() {
	for i := 0; i < 5; i++ {
		syscall.Read(int(zero.Fd()), room[:1<<20])
	}
}

//go:noinline
func clock() {
	for i := 0; i < 10_000; i++ {
		now = time.Now()
	}
}

//go:noinline
func onSystemStack() {
	for i := 0; i < 500; i++ {
		runtime.Gosched()
	}
}

func shortLived() {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			inGo()
		}()
	}
	wg.Wait()
}

func allocating() {
	var kept [16][]byte
	for i := 0; i < 200; i++ {
		kept[i%16] = make([]byte, 4096)
	}
	runtime.KeepAlive(kept[:])
}

func inTurn(parts ...func()) {
	for running() {
		for _, part := range parts {
			part()
		}
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func traced() {
	if *traceFile == "" {
		fmt.Println("ready")
		time.Sleep(*dur)
		return
	}
	awaitSignal()
	// Samples come with CPU time, and on a busy machine the program may have little of it in -dur.
	begin := cpuTime()
	must(pprof.StartCPUProfile(io.Discard))
	ownTraceOf(*traceFile, func() {
		time.Sleep(*dur)
		for cpuTime()-begin < *dur/2 {
			time.Sleep(50 * time.Millisecond)
		}
	})
	pprof.StopCPUProfile()
}

func main() {
	flag.Parse()
	var err error
	zero, err = os.Open("/dev/zero")
	must(err)
	var wg sync.WaitGroup
	work := [][]func(){
		{inGo, func() { deeper(20) }, inC},
		{func() { inKernel(room) }, onSystemStack, inGo},
		{shortLived, allocating, inC},
	}
	if *outside {
		work = [][]func(){{reads, clock}}
	}
	for _, parts := range work {
		wg.Add(1)
		go func(parts []func()) {
			defer wg.Done()
			inTurn(parts...)
		}(parts)
	}
	traced()
	time.Sleep(*tail)
	atomic.StoreInt32(&stopped, 1)
	wg.Wait()
	fmt.Println("done")
}
