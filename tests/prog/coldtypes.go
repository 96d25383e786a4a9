// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// coldtypes makes objects of types whose names no probe can read meanwhile: nobody but a tracer reads them, so their pages may
// be ones that are not in memory. For the time of each allocation it has no access to the page of the type's name.
package main

import (
	"fmt"
	"os"
	"reflect"
	"syscall"
	"time"
	"unsafe"
)

type (
	first  [2000]byte
	second [3000]byte
	third  struct {
		next *third
		room [4000]byte
	}
)

const pageSize = 4096

var sink any

// without calls make while the page where the name of this type begins cannot be read.
func without(of reflect.Type, make func()) {
	name := of.String()
	page := uintptr(unsafe.Pointer(unsafe.StringData(name))) &^ (pageSize - 1)
	protect(page, syscall.PROT_NONE)
	make()
	protect(page, syscall.PROT_READ)
}

func protect(page, access uintptr) {
	if _, _, e := syscall.RawSyscall(syscall.SYS_MPROTECT, page, pageSize, access); e != 0 {
		fmt.Println("mprotect", e)
		os.Exit(3)
	}
}

func main() {
	without(reflect.TypeFor[first](), func() { sink = new(first) })
	without(reflect.TypeFor[second](), func() { sink = new(second) })
	without(reflect.TypeFor[third](), func() { sink = new(third) })
	time.Sleep(200 * time.Millisecond) // until all goroutines have run, which is when gotap knows their ids
}
