// SPDX-License-Identifier: Apache-2.0

// sigstack: a goroutine that runs has the only pointer to a channel in a register, and its thread is in the handler of a
// signal, on the stack for signals, which has that register. For `gotap stacks --leaked`: the goroutine that waits for
// the channel is not leaked; leakedReceive is.
package main

/*
#cgo CFLAGS: -D_GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int handled;

static void handle(int signal)
{
	handled = 1;
	for (;;)
		pause();
}

static void handle_usr2(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_ONSTACK;
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
}

static int is_handled(void) { return handled; }
static int thread_id(void) { return (int)syscall(SYS_gettid); }
static void send_usr2(int thread) { syscall(SYS_tgkill, getpid(), thread, SIGUSR2); }
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

type holder struct {
	word uint32
	c    chan int
}

var (
	given unsafe.Pointer // *holder, until the goroutine takes it
	begun uint32
)

func leakedReceive() { <-make(chan int) }

//go:noinline
func waits(c chan int) { <-c }

// spin takes the pointer into a register, and calls nothing.
//
//go:noinline
func spin() {
	h := (*holder)(atomic.SwapPointer(&given, nil))
	atomic.StoreUint32(&begun, 1)
	for atomic.LoadUint32(&h.word) == 0 {
	}
	close(h.c)
}

//go:noinline
func begin() {
	h := &holder{c: make(chan int)}
	go waits(h.c)
	atomic.StorePointer(&given, unsafe.Pointer(h))
}

//go:noinline
func overwrite(n int) int {
	var a [128]int
	for i := range a {
		a[i] = n
	}
	if n > 0 {
		return overwrite(n-1) + a[n%128]
	}
	return a[0]
}

func main() {
	C.handle_usr2()
	go leakedReceive()
	c := make(chan int)
	go func() { begin(); overwrite(16); c <- 1 }()
	<-c
	threads := make(chan C.int)
	go func() {
		runtime.LockOSThread()
		threads <- C.thread_id()
		time.Sleep(10 * time.Millisecond)
		overwrite(16)
		spin()
	}()
	thread := <-threads
	for atomic.LoadUint32(&begun) == 0 {
		time.Sleep(time.Millisecond)
	}
	C.send_usr2(thread)
	for C.is_handled() == 0 {
		time.Sleep(time.Millisecond)
	}
	overwrite(64)
	fmt.Println("ready")
	time.Sleep(time.Hour)
}
