// SPDX-License-Identifier: Apache-2.0

// restarts has threads in system calls that the kernel restarts after a stop, each in its own way: by the same arguments, by
// the time that is left, or by the number of another call. It checks the results of each, and how long they took. It prints
// "ready", and on SIGTERM a line "NAME CALLS WRONG" for each, with the first wrong result.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const pause = 30 * time.Millisecond

// kind is a system call that is made again and again.
type kind struct {
	name  string
	call  func() string // "", or how the result was wrong
	calls int
	wrong int
	first string
}

var mu sync.Mutex

func (k *kind) repeat() {
	runtime.LockOSThread()
	for {
		wrong := k.call()
		mu.Lock()
		k.calls++
		if wrong != "" {
			k.wrong++
			if k.first == "" {
				k.first = wrong
			}
		}
		mu.Unlock()
	}
}

// lasts: f is to give that error, and not before the pause is over.
func lasts(f func() syscall.Errno, want syscall.Errno) string {
	began := time.Now()
	got := f()
	took := time.Since(began)
	if got != want || took < pause {
		return fmt.Sprintf("%v after %v", got, took)
	}
	return ""
}

func nanosleep() syscall.Errno {
	t := syscall.NsecToTimespec(int64(pause))
	_, _, e := syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), uintptr(unsafe.Pointer(&t)), 0)
	return e
}

// Up to a time of the monotonic clock.
func clockNanosleep() syscall.Errno {
	const monotonic, absolute = 1, 1
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&t)), 0)
	t = syscall.NsecToTimespec(syscall.TimespecToNsec(t) + int64(pause))
	_, _, e := syscall.Syscall6(syscall.SYS_CLOCK_NANOSLEEP, monotonic, absolute, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	return e
}

var word uint32

func futex() syscall.Errno {
	const waitPrivate = 128
	t := syscall.NsecToTimespec(int64(pause))
	_, _, e := syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), waitPrivate, 0, uintptr(unsafe.Pointer(&t)), 0, 0)
	return e
}

func ppoll() syscall.Errno {
	t := syscall.NsecToTimespec(int64(pause))
	_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	return e
}

// numbers: one end of a pipe gets 1, 2, 3 and so on; each is to come out once, in that order.
func numbers() func() string {
	var fds [2]int
	var last uint64
	check(syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
	go func() {
		for n := uint64(1); ; n++ {
			time.Sleep(pause)
			check2(syscall.Write(fds[1], (*[8]byte)(unsafe.Pointer(&n))[:]))
		}
	}()
	return func() string {
		var n uint64
		got, err := syscall.Read(fds[0], (*[8]byte)(unsafe.Pointer(&n))[:])
		last++
		if got != 8 || err != nil || n != last {
			return fmt.Sprintf("%d bytes, %v, number %d, not %d", got, err, n, last)
		}
		return ""
	}
}

// locks: two open files contend for a lock, which one of them holds for the pause.
func locks() func() string {
	path := fmt.Sprintf("%s/restarts.%d", os.TempDir(), os.Getpid())
	open := func() int {
		fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0600)
		check(err)
		return fd
	}
	mine, other := open(), open()
	check(syscall.Unlink(path))
	go func() {
		for {
			check(syscall.Flock(other, syscall.LOCK_EX))
			time.Sleep(pause)
			check(syscall.Flock(other, syscall.LOCK_UN))
			time.Sleep(time.Millisecond)
		}
	}()
	return func() string {
		if err := syscall.Flock(mine, syscall.LOCK_EX); err != nil {
			return err.Error()
		}
		check(syscall.Flock(mine, syscall.LOCK_UN))
		time.Sleep(time.Millisecond)
		return ""
	}
}

// computes: general registers and those of floating point, in a loop without a call.
func computes() string {
	var n uint64
	x := 1.0
	for i := uint64(1); i <= 300000; i++ {
		n = n*31 + i
		x = x*0.5 + float64(i)
	}
	if computed.n == 0 {
		computed.n, computed.x = n, x
	}
	if n != computed.n || x != computed.x {
		return fmt.Sprintf("%d %v, not %d %v", n, x, computed.n, computed.x)
	}
	runtime.Gosched()
	time.Sleep(time.Millisecond)
	return ""
}

var computed struct {
	n uint64
	x float64
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func check2(_ int, err error) { check(err) }

func main() {
	kinds := []*kind{
		{name: "nanosleep", call: func() string { return lasts(nanosleep, 0) }},
		{name: "clock_nanosleep", call: func() string { return lasts(clockNanosleep, 0) }},
		{name: "futex", call: func() string { return lasts(futex, syscall.ETIMEDOUT) }},
		{name: "ppoll", call: func() string { return lasts(ppoll, 0) }},
		{name: "read", call: numbers()},
		{name: "flock", call: locks()},
		{name: "computes", call: computes},
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	for _, k := range kinds {
		go k.repeat()
	}
	fmt.Println("ready")
	<-term
	mu.Lock()
	for _, k := range kinds {
		fmt.Println(k.name, k.calls, k.wrong, k.first)
	}
}
