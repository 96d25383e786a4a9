// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

// coldpanic ends with a panic whose text, and the string header that leads to the text, are constants in pages that are
// not in memory: the first to read them is the runtime when it prints them.
package main

import (
	"syscall"
	"unsafe"
)

// Large, as the kernel maps up to 64 KB around a page that the program touches (fault-around): pages in the middle have
// no such neighbours.
const (
	line  = "a constant that only the runtime reads, and only when it is all "
	page  = line + line + line + line + line + line + line + line + line + line + line + line + line + line + line + line
	pages = page + page + page + page + page + page + page + page + page + page + page + page + page + page + page + page
	large = pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages
	many  = 1 << 14
)

// The compiler puts the array into read-only data.
//
//go:noinline
func strings() any { return [many]string{many / 2: large} }

type value struct{ typ, data uintptr }

// takeAway makes the kernel drop the pages in the middle of these bytes.
func takeAway(addr, size uintptr) {
	const pageSize, dontNeed = 4096, 4
	start := (addr + 2*pageSize) &^ (pageSize - 1)
	syscall.RawSyscall(syscall.SYS_MADVISE, start, size-4*pageSize, dontNeed)
}

func main() {
	var arg, all any = "", strings()
	first := (*value)(unsafe.Pointer(&all)).data
	(*value)(unsafe.Pointer(&arg)).data = first + many/2*unsafe.Sizeof("")
	takeAway(uintptr(unsafe.Pointer(unsafe.StringData(large))), uintptr(len(large)))
	takeAway(first, many*unsafe.Sizeof(""))
	panic(arg)
}
