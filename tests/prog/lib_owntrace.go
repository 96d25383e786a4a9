// SPDX-License-Identifier: Apache-2.0

// Functions for programs that write their own execution trace; tests/prog/build adds this file to those that call
// ownTrace.

package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/trace"
	"sync/atomic"
	"syscall"
	"time"
)

func must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// awaitSignal prints "ready" and waits for SIGUSR1.
func awaitSignal() {
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	fmt.Println("ready")
	<-begin
}

// enough returns when the time long has passed and *made has grown by rounds: time alone is not enough, as on a busy
// machine the program may not get a CPU.
func enough(long time.Duration, made *int64, rounds int64) {
	before := atomic.LoadInt64(made)
	time.Sleep(long)
	for atomic.LoadInt64(made)-before < rounds {
		time.Sleep(5 * time.Millisecond)
	}
}

// ownTrace writes the program's own trace for so long; without a path the time only passes.
func ownTrace(path string, long time.Duration) {
	ownTraceOf(path, func() { time.Sleep(long) })
}

// ownTraceOf writes the program's own trace while wait runs.
func ownTraceOf(path string, wait func()) {
	if path == "" {
		wait()
		return
	}
	out, err := os.Create(path)
	must(err)
	must(trace.Start(out))
	wait()
	trace.Stop()
	must(out.Close())
}
