//go:build linux
// +build linux

// SPDX-License-Identifier: Apache-2.0

// forks makes children of itself that do not exec: each goes on in Go on its one thread, makes many system calls,
// and ends. It prints how many there were, once it is told to end by SIGUSR1 or after -dur.
//
//	forks [-calls N] [-pause D] [-dur D]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

var (
	calls = flag.Int("calls", 2000, "system calls of a child")
	pause = flag.Duration("pause", 5*time.Millisecond, "pause between two children")
	dur   = flag.Duration("dur", time.Hour, "how long to go on")
)

const done = 42

// inChild runs without the other threads of the runtime, so nothing here may block or allocate. It is nosplit because
// the check for room on the stack would preempt the goroutine, if sysmon asked for that just before the fork.
//
//go:nosplit
func inChild(n int) {
	for i := 0; i < n; i++ {
		syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, done, 0, 0)
}

func fork(n int) syscall.WaitStatus {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		inChild(n)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(int(pid), &status, 0, nil); err != nil {
		fmt.Fprintln(os.Stderr, "forks:", err)
		os.Exit(1)
	}
	return status
}

func main() {
	flag.Parse()
	runtime.LockOSThread()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGUSR1)
	fmt.Println("ready")
	children, late := 0, time.After(*dur)
	for {
		select {
		case <-end:
		case <-late:
		case <-time.After(*pause):
			if status := fork(*calls); status.ExitStatus() != done {
				fmt.Fprintln(os.Stderr, "forks: a child ended with status", status)
				os.Exit(1)
			}
			children++
			continue
		}
		fmt.Println("children", children)
		return
	}
}
