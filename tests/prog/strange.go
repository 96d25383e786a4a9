// SPDX-License-Identifier: Apache-2.0

// strange is a program that a reader of its memory must not trust: it replaces runtime.allgs, the list of its
// goroutines.
//
//	strange -as KIND [-n LENGTH] [-later] [-page D] [-pairs N]
//
// KIND is its new value:
//
//	repeated   the same goroutine, with a deep stack, again and again
//	endless    a list that is longer than the memory
//	silent     a list in memory without pages: a userfaultfd has them, which never answers a fault
//	stack      the list stays; the first page of the auxiliary vector is as in silent (run it with 2000 arguments)
//	slow       as silent, but each page comes after the time -page; "asked" is printed at the first read, "page" at each
//
// It does so at once, or with -later on SIGUSR1, and then prints "strange". Meanwhile goroutines wake each other now
// and then.
//
//go:build go1.21

package main

import (
	"bytes"
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

var (
	as    = flag.String("as", "repeated", "by what the list is replaced")
	n     = flag.Int("n", 1000000, "its length")
	later = flag.Bool("later", false, "on SIGUSR1, not at once")
	page  = flag.Duration("page", 60*time.Millisecond, "time that a page of a slow list takes")
	pairs = flag.Int("pairs", 1, "pairs of goroutines that wake each other, each a thousand times a second")
)

const ballast = 64 << 20 // so that lists of such a length are possible

func fail(err error) {
	fmt.Println(err)
	os.Exit(3)
}

func allgs() *[3]uintptr {
	file, err := elf.Open("/proc/self/exe")
	if err != nil {
		fail(err)
	}
	symbols, err := file.Symbols()
	if err != nil {
		fail(err)
	}
	for _, s := range symbols {
		if s.Name == "runtime.allgs" {
			at := uintptr(s.Value)
			return *(**[3]uintptr)(unsafe.Pointer(&at))
		}
	}
	fail(fmt.Errorf("no symbol runtime.allgs"))
	return nil
}

func mapped(bytes int) []byte {
	b, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		fail(err)
	}
	return b
}

func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// linux/userfaultfd.h
type uffdAPI struct{ api, features, ioctls uint64 }
type uffdRegister struct{ start, len, mode, ioctls uint64 }
type uffdZeropage struct {
	start, len, mode uint64
	zeropage         int64
}

func ioctl(fd uintptr, request uintptr, arg unsafe.Pointer) {
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)); e != 0 {
		fail(fmt.Errorf("userfaultfd: ioctl %#x: %v", request, e))
	}
}

const registerIoctl = 0xc020aa00

func userfaultfd() uintptr {
	const sysUserfaultfd, apiIoctl = 323, 0xc018aa3f
	fd, _, e := syscall.Syscall(sysUserfaultfd, syscall.O_CLOEXEC, 0, 0)
	if e != 0 {
		fmt.Println("no userfaultfd:", e)
		os.Exit(4)
	}
	ioctl(fd, apiIoctl, unsafe.Pointer(&uffdAPI{api: 0xaa}))
	return fd
}

// withoutPages is memory whose pages somebody has to provide who reads the descriptor.
func withoutPages(bytes int) ([]byte, int) {
	fd := userfaultfd()
	b := mapped(bytes)
	ioctl(fd, registerIoctl, unsafe.Pointer(&uffdRegister{
		start: uint64(uintptr(unsafe.Pointer(&b[0]))), len: uint64(len(b)), mode: 1}))
	return b, int(fd)
}

// auxv is where the kernel left the vector: behind the strings of the arguments are NUL, the environment and NUL.
func auxv() uintptr {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		fail(err)
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')'):])
	at, err := strconv.ParseUint(string(fields[26]), 10, 64) // startstack
	if err != nil {
		fail(err)
	}
	return uintptr(at) + 8*uintptr(1+len(os.Args)+1+len(os.Environ())+1)
}

// takeAway lets nobody ever provide the page at an address.
func takeAway(at uintptr) {
	page := at &^ 4095
	fd := userfaultfd()
	ioctl(fd, registerIoctl, unsafe.Pointer(&uffdRegister{start: uint64(page), len: 4096, mode: 1}))
	if _, _, e := syscall.Syscall(syscall.SYS_MADVISE, page, 4096, syscall.MADV_DONTNEED); e != 0 {
		fail(e)
	}
}

func provideSlowly(fd int) {
	const zeropageIoctl = 0xc020aa04
	var message [32]byte
	for first := true; ; first = false {
		if _, err := syscall.Read(fd, message[:]); err != nil {
			fail(err)
		}
		if first {
			fmt.Println("asked")
		}
		fmt.Println("page")
		time.Sleep(*page)
		at := *(*uint64)(unsafe.Pointer(&message[16]))
		ioctl(uintptr(fd), zeropageIoctl, unsafe.Pointer(&uffdZeropage{start: at &^ 4095, len: 4096}))
	}
}

func roundUp(bytes int) int { return (bytes + 4095) &^ 4095 }

// list makes the list that replaces @real; it has the goroutine that was made last.
func list(real *[3]uintptr) uintptr {
	b := []byte{}
	switch *as {
	case "repeated", "endless":
		length := *n
		if *as == "endless" {
			length = 1000
		}
		b = mapped(roundUp(8 * length))
		last := *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(real)), 8*(real[1]-1)))
		for i := 0; i < length; i++ {
			*(*uintptr)(unsafe.Pointer(&b[8*i])) = last
		}
	case "silent":
		b, _ = withoutPages(roundUp(8 * *n))
	case "slow":
		var fd int
		b, fd = withoutPages(roundUp(8 * *n))
		go provideSlowly(fd)
	}
	return uintptr(unsafe.Pointer(&b[0]))
}

func deep(levels int, never chan int) int {
	if levels == 0 {
		return <-never
	}
	return deep(levels-1, never) + 1
}

func pingPong(in, out chan int) {
	for range in {
		time.Sleep(time.Millisecond)
		out <- 1
	}
}

func main() {
	flag.Parse()
	debug.SetGCPercent(-1)
	touch(mapped(ballast))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	for i := 0; i < *pairs; i++ {
		a, b := make(chan int), make(chan int)
		go pingPong(a, b)
		go pingPong(b, a)
		a <- 1
	}
	go deep(200, make(chan int))
	time.Sleep(100 * time.Millisecond)
	if *as == "stack" {
		takeAway(auxv())
		fmt.Println("ready")
		select {}
	}
	real := allgs()
	at := list(real)
	if *later {
		fmt.Println("ready")
		<-signals
	}
	real[0], real[2], real[1] = at, uintptr(*n), uintptr(*n)
	fmt.Println("strange")
	if !*later {
		fmt.Println("ready")
	}
	select {}
}
