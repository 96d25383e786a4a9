// SPDX-License-Identifier: Apache-2.0

// toggles makes system calls and hands values over, and starts and stops its own tracer in turns meanwhile, until SIGUSR1.
//
//	toggles [-each D] [-pause D] [-into PREFIX]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var (
	each  = flag.Duration("each", 100*time.Millisecond, "how long it traces itself, and how long it does not")
	pause = flag.Duration("pause", time.Millisecond, "between twenty system calls and the next twenty")
	into  = flag.String("into", "", "the trace of turn N is PREFIX.N")
)

func calling() {
	for {
		for i := 0; i < 20; i++ {
			syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
		}
		time.Sleep(*pause)
	}
}

func handing(in <-chan int, out chan<- int) {
	for v := range in {
		time.Sleep(100 * time.Microsecond)
		out <- v
	}
}

func main() {
	flag.Parse()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGUSR1)
	a, b := make(chan int), make(chan int)
	go handing(a, b)
	go handing(b, a)
	a <- 1
	go calling()
	fmt.Println("ready")
	for n := 0; ; n++ {
		select {
		case <-end:
			return
		case <-time.After(*each):
			ownTrace(fmt.Sprint(*into, ".", n), *each)
		}
	}
}
