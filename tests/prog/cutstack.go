// SPDX-License-Identifier: Apache-2.0

// cutstack parks and wakes a goroutine 60 calls deep, of whose stack one page is not in memory.
//
//	cutstack [-page KIND] [-dur D] [-spin]
//
// -spin: nobody parks, but a function uses the CPU that has a page of its own frame missing: the one with the frame
// pointer of its caller.
//
// KIND is none (PROT_NONE, as mprotect and NUMA balancing have it), or late: a page that is there as soon as somebody
// touches it, as one in swap is.
//
//go:build go1.21

package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"
)

var (
	page = flag.String("page", "none", "what is wrong with the page")
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	spin = flag.Bool("spin", false, "use the CPU in a function without its caller's frame pointer")
)

const pageSize = 4096

func fail(what string, e error) {
	fmt.Println(what, e)
	os.Exit(3)
}

func bytesAt(addr uintptr) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), pageSize)
}

// replace puts a page with the same content there that nobody has touched yet.
func replace(addr uintptr) {
	const memfdCreate, fixed = 319, 0x10
	name := []byte("stack\x00")
	fd, _, e := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), 0, 0)
	if e != 0 {
		fail("memfd_create", e)
	}
	if _, err := syscall.Write(int(fd), bytesAt(addr)); err != nil {
		fail("write", err)
	}
	if _, _, e := syscall.Syscall6(syscall.SYS_MMAP, addr, pageSize, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|fixed, fd, 0); e != 0 {
		fail("mmap", e)
	}
}

func spoil(addr uintptr) {
	if *page == "late" {
		replace(addr)
		return
	}
	if _, _, e := syscall.Syscall(syscall.SYS_MPROTECT, addr, pageSize, syscall.PROT_NONE); e != 0 {
		fail("mprotect", e)
	}
}

var sum int

//go:noinline
func grow() byte {
	var room [16 * pageSize]byte
	return room[sum%len(room)]
}

// Its frame is larger than two pages, and it uses none of them: the page that is missing has the frame pointer of
// its caller, which lies just below the variables of that.
//
//go:noinline
func spinning(caller uintptr) {
	var room [3 * pageSize]byte
	sum += int(room[sum%len(room)])
	spoil((caller - 64) &^ (pageSize - 1))
	for {
		sum++
	}
}

//go:noinline
func aroundSpinning() {
	var room [2 * pageSize]byte
	grow() // so that no stack moves from here on
	os.Stdout.WriteString("ready\n")
	spinning(uintptr(unsafe.Pointer(&room)))
	sum += int(room[sum%len(room)])
}

//go:noinline
func leaf(in, out chan int) {
	var here byte
	spoil((uintptr(unsafe.Pointer(&here)) + 3*pageSize) &^ (pageSize - 1))
	fmt.Println("ready")
	for range in {
		out <- 1
	}
}

//go:noinline
func deep(levels int, in, out chan int) int {
	var room [40]int
	if levels == 0 {
		leaf(in, out)
		return 0
	}
	room[levels%40] = deep(levels-1, in, out)
	return room[levels%7]
}

//go:noinline
func root(in, out chan int) { deep(60, in, out) }

func main() {
	flag.Parse()
	debug.SetGCPercent(-1)
	if *spin {
		go aroundSpinning()
		select {}
	}
	in, out := make(chan int), make(chan int)
	go root(in, out)
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; {
		in <- 1
		<-out
		time.Sleep(time.Millisecond)
	}
}
