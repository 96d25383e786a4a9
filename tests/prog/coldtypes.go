// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// coldtypes allocates objects of types whose names a probe cannot read: allocation does not read them, so their pages
// need not be in memory. Here mprotect makes the page of the name inaccessible during each allocation.
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

// without calls make while the page where the type's name begins is inaccessible.
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
	time.Sleep(200 * time.Millisecond) // gotap knows the id of a goroutine when it has run
}
