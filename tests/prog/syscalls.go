// SPDX-License-Identifier: Apache-2.0

// syscalls makes system calls of three kinds: short ones, ones that block for longer than the runtime lets a thread
// keep its P, and ones during which the world is stopped.
//
//	syscalls [-dur D] [-pause D] [-block D] [-stw]
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

var (
	dur   = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	pause = flag.Duration("pause", time.Millisecond, "pause between short calls")
	block = flag.Duration("block", 5*time.Millisecond, "how long a blocking call blocks")
	stw   = flag.Bool("stw", false, "stop the world now and then")
)

func short() {
	for {
		for i := 0; i < 10; i++ {
			syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
		}
		time.Sleep(*pause)
	}
}

// blocking reads from a pipe that the runtime's poller does not watch, so the read blocks its thread.
func blocking(fd int) {
	buf := make([]byte, 1)
	for {
		if n, err := syscall.Read(fd, buf); n != 1 {
			fmt.Fprintln(os.Stderr, "syscalls: read:", n, err)
			os.Exit(1)
		}
	}
}

func feeding(fd int) {
	for {
		time.Sleep(*block)
		syscall.Write(fd, []byte{1})
	}
}

func stopping() {
	var stats runtime.MemStats
	for {
		time.Sleep(20 * time.Millisecond)
		runtime.ReadMemStats(&stats)
	}
}

func main() {
	flag.Parse()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		fmt.Fprintln(os.Stderr, "syscalls: pipe:", err)
		os.Exit(1)
	}
	go short()
	go blocking(fds[0])
	go feeding(fds[1])
	if *stw {
		go stopping()
	}
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
}
