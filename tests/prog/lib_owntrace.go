// SPDX-License-Identifier: Apache-2.0

// What programs share that write their own execution trace; tests/prog/build adds it to those that call ownTrace.

package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/trace"
	"syscall"
	"time"
)

func must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// awaitSignal says that the program is ready and waits for SIGUSR1.
func awaitSignal() {
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	fmt.Println("ready")
	<-begin
}

// ownTrace writes the program's own trace for so long; without a path the time only passes.
func ownTrace(path string, long time.Duration) {
	if path == "" {
		time.Sleep(long)
		return
	}
	out, err := os.Create(path)
	must(err)
	must(trace.Start(out))
	time.Sleep(long)
	trace.Stop()
	must(out.Close())
}
