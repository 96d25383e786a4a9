// SPDX-License-Identifier: Apache-2.0

// coldtext annotates itself with texts in pages that are not in memory: nobody but the tracer reads them.
//
//	coldtext [-from KIND] [-dur D]
//
// KIND is file, constants of the program, which the kernel takes away before each annotation, as it may at any time;
// or memory, a page of no file that is there as soon as somebody touches it, as one in swap is.
//
//go:build go1.21

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

var (
	from = flag.String("from", "file", "which texts")
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")
)

const pageSize = 4096

// So large that the page in the middle of it does not come in with a neighbour that the program uses: the kernel maps 64 KB
// around a page that is touched.
const (
	line  = "a constant that only the tracer reads, 64 bytes with the others "
	page  = line + line + line + line + line + line + line + line + line + line + line + line + line + line + line + line
	pages = page + page + page + page + page + page + page + page + page + page + page + page + page + page + page + page
	large = pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages
)

var text = large

func fail(what string, e error) {
	fmt.Println(what, e)
	os.Exit(3)
}

func bytesAt(addr uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}

// inside gives the page in the middle of the constant.
func inside() uintptr {
	start := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	return (start + uintptr(len(text)/2)) &^ (pageSize - 1)
}

func takeAway() {
	const dontNeed = 4
	around := uintptr(len(text)/2 - 2*pageSize)
	if _, _, e := syscall.RawSyscall(syscall.SYS_MADVISE, inside()-around, 2*around, dontNeed); e != 0 {
		fail("madvise", e)
	}
}

// untouched gives a page that has bytes, which nobody has touched.
func untouched() uintptr {
	const memfdCreate = 319
	name := []byte("text\x00")
	fd, _, e := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), 0, 0)
	if e != 0 {
		fail("memfd_create", e)
	}
	if _, err := syscall.Write(int(fd), []byte(page)); err != nil {
		fail("write", err)
	}
	addr, _, e := syscall.Syscall6(syscall.SYS_MMAP, 0, pageSize, syscall.PROT_READ, syscall.MAP_SHARED, fd, 0)
	if e != 0 {
		fail("mmap", e)
	}
	return addr
}

func stringAt(addr uintptr, n int) string { return unsafe.String(&bytesAt(addr, n)[0], n) }

func main() {
	flag.Parse()
	addr, prepare := inside(), takeAway
	if *from == "memory" {
		addr, prepare = untouched(), func() {}
	}
	name, message := stringAt(addr, 10), stringAt(addr+64, 63)
	fmt.Println("ready")
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; {
		prepare()
		trace.Log(context.Background(), "category", message)
		prepare()
		trace.Log(context.Background(), name, message)
		trace.WithRegion(context.Background(), name, prepare)
		time.Sleep(time.Millisecond)
	}
}
