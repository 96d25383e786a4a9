// SPDX-License-Identifier: Apache-2.0

//go:build go1.21

// coldlabels sets profiler labels whose texts a probe cannot read: setting labels does not touch their texts, so the
// pages of these need not be in memory. Here mprotect makes the page inaccessible while the labels are set.
//
//	coldlabels [-from KIND]
//
// KIND is file: the texts are constants of the program; or memory: they are in memory of no file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"
	"unsafe"
)

const pageSize = 4096

// More than a page, and each line is another text.
const (
	lines = "00 a constant of 32 bytes filled01 a constant of 32 bytes filled02 a constant of 32 bytes filled03 a constant of 32 bytes filled"
	page  = lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines + lines
	large = page + page + page + page + page + page + page
)

var (
	from = flag.String("from", "file", "which texts")
	text = large
)

func protect(page, access uintptr) {
	if _, _, e := syscall.RawSyscall(syscall.SYS_MPROTECT, page, pageSize, access); e != 0 {
		fmt.Println("mprotect", e)
		os.Exit(3)
	}
}

// made returns the address of a page with the same text that is of no file.
func made() uintptr {
	bytes, err := syscall.Mmap(-1, 0, pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		fmt.Println("mmap", err)
		os.Exit(3)
	}
	copy(bytes, page)
	return uintptr(unsafe.Pointer(&bytes[0]))
}

// at returns n bytes of the page as a string, without a look at them.
func at(page, offset uintptr, n int) string {
	addr := page + offset
	return unsafe.String(*(**byte)(unsafe.Pointer(&addr)), n)
}

func set(page uintptr, key, value string) {
	ctx := pprof.WithLabels(context.Background(), pprof.Labels(key, value))
	protect(page, syscall.PROT_NONE)
	pprof.SetGoroutineLabels(ctx)
	protect(page, syscall.PROT_READ)
}

func main() {
	flag.Parse()
	start := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	cold := (start + 2*pageSize) &^ (pageSize - 1)
	// Where in that page the first of its four lines begins: every 128 bytes.
	line := (start - cold) & 127
	if *from == "memory" {
		cold, line = made(), 0
	}
	set(cold, at(cold, line, 13), "warm")
	set(cold, "cold", at(cold, line+32, 13))
	set(cold, at(cold, line+64, 32), at(cold, line+96, 13))
	set(cold, at(cold, line, 60), at(cold, line+32, 90))
	set(cold, at(cold, line, 2), at(cold, line+32, 1))
	time.Sleep(200 * time.Millisecond) // gotap knows the id of a goroutine when it has run
}
