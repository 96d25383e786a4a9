// SPDX-License-Identifier: Apache-2.0

// amidexec execs its own file when it can read a byte from the FIFO, by another thread than the first one of the
// process. The first thread only sleeps; when all is in place it gets the name "waits".
//
//	amidexec [-first futex|read] FIFO
//
// -first: where that thread sleeps: in futex, as idle threads of the runtime do, or in a read that blocks.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

var first = flag.String("first", "futex", "where the first thread sleeps")

func init() { runtime.LockOSThread() }

func must(err error) {
	if err != nil {
		fmt.Println("amidexec:", err)
		os.Exit(3)
	}
}

// execOnByte needs no other thread to go on: it reads by a system call that blocks its own one.
func execOnByte(fd int) {
	runtime.LockOSThread()
	n, err := syscall.Read(fd, make([]byte, 1))
	if n != 1 {
		must(fmt.Errorf("read: %d, %v", n, err))
	}
	must(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}

// idle makes the runtime have some threads, which then sleep.
func idle() {
	for i := 0; i < 4; i++ {
		go func() {
			for {
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}
	time.Sleep(50 * time.Millisecond)
}

func name(thread string) {
	const setName = 15
	text := append([]byte(thread), 0)
	_, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setName, uintptr(unsafe.Pointer(&text[0])), 0)
	if e != 0 {
		must(e)
	}
}

func main() {
	flag.Parse()
	fd, err := syscall.Open(flag.Arg(0), syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	must(err)
	go execOnByte(fd)
	idle()
	fmt.Println("ready")
	name("waits")
	if *first == "read" {
		var never [2]int
		must(syscall.Pipe2(never[:], syscall.O_CLOEXEC))
		syscall.Read(never[0], make([]byte, 1))
	}
	select {}
}
