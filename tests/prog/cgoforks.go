//go:build linux
// +build linux

// SPDX-License-Identifier: Apache-2.0

// cgoforks forks children from C that do not exec, and live until cgoforks ends, each time that it gets SIGUSR1. All the time it
// switches goroutines and starts programs, as os/exec does it (vfork). It prints a line for each child, and at SIGUSR2 how many
// programs it has started, and ends.
//
//	cgoforks
package main

/*
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static int fork_child(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	told := make(chan os.Signal, 16)
	ping, pong := make(chan int), make(chan int)
	started := 0

	runtime.LockOSThread() // a child ends with the thread that forked it
	signal.Notify(told, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for i := range ping {
			pong <- i
		}
	}()
	fmt.Println("ready")
	for {
		select {
		case s := <-told:
			if s == syscall.SIGUSR2 {
				fmt.Println("started", started)
				return
			}
			fmt.Println("child", int(C.fork_child()))
		default:
			if err := exec.Command("/bin/true").Run(); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			started++
			for i := 0; i < 1000; i++ {
				ping <- i
				<-pong
			}
		}
	}
}
