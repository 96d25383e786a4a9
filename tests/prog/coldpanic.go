// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

// coldpanic ends with a panic whose text, and the string that says where the text is, are constants in pages that are not in
// memory: nobody reads them before the runtime prints them.
package main

import (
	"syscall"
	"unsafe"
)

// So large that what is in the middle does not come in with a neighbour that the program uses: the kernel maps 64 KB around a page
// that is touched.
const (
	line  = "a constant that only the runtime reads, and only when it is all "
	page  = line + line + line + line + line + line + line + line + line + line + line + line + line + line + line + line
	pages = page + page + page + page + page + page + page + page + page + page + page + page + page + page + page + page
	large = pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages + pages
	many  = 1 << 14
)

// The compiler makes a constant of it.
//
//go:noinline
func strings() any { return [many]string{many / 2: large} }

type value struct{ typ, data uintptr }

// takeAway has the kernel take the middle of these bytes away.
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
