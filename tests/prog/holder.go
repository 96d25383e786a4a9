// SPDX-License-Identifier: Apache-2.0

// holder [collected]: a heap of which it is known who holds how much, for `gotap heap --retained`. It prints what the
// runtime counts, "ready", and waits for a signal. The collector runs before the heap is made; with "collected" also
// after it, and may then leave pointers to any object on the stacks of its threads.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// Sizes of objects are those of the allocator's classes.
type item struct {
	data []byte // 4096
	id   int
} // 32

type store struct {
	items []*item // 1000: 8192
	last  *item
} // 32

type link struct {
	next *link
	pad  [6]int64
} // 64

type pair struct {
	shared *[1 << 20]byte
	own    []byte // 65536
} // 32

type table struct {
	rows [100]*row
} // 896 with its header, from Go 1.22 on; 896 before

type row struct {
	values [16]int64
	name   *string // 16
} // 144

var (
	theStore *store
	theList  *link
	left     *pair
	right    *pair
	anything interface{}
	garbage  []byte
)

func makeStore() *store {
	s := &store{items: make([]*item, 0, 1000)}
	for i := 0; i < 1000; i++ {
		s.items = append(s.items, &item{make([]byte, 4096), i})
	}
	return s
}

func makeList() (l *link) {
	for i := 0; i < 10000; i++ {
		l = &link{next: l}
	}
	return l
}

func makeTable() *table {
	t := &table{}
	for i := range t.rows {
		name := fmt.Sprintf("a row with the number %9d", i)
		t.rows[i] = &row{name: &name}
	}
	return t
}

// Its stack holds half a megabyte.
func keeper(c chan int) {
	kept := make([]byte, 512<<10)
	<-c
	runtime.KeepAlive(kept)
}

// On a stack of its own, of which nothing is left.
func makeAll(done chan bool) {
	theStore = makeStore()
	theList = makeList()
	shared := new([1 << 20]byte)
	left = &pair{shared, make([]byte, 65536)}
	right = &pair{shared, make([]byte, 65536)}
	shared = nil
	anything = makeTable()
	done <- true
}

func main() {
	c := make(chan int)
	garbage = make([]byte, 3<<20)
	garbage = nil
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	// before the heap is made: it gets no stack that had pointers to it
	go keeper(c)
	runtime.Gosched()
	done := make(chan bool)
	go makeAll(done)
	<-done
	garbage = make([]byte, 3<<20)
	garbage = nil
	if len(os.Args) > 1 {
		runtime.GC()
		runtime.GC()
	}
	runtime.MemProfile(nil, true) // the linker leaves profiling on
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("alloc", m.HeapAlloc, "objects", m.HeapObjects)
	fmt.Println("ready")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	<-signals
	close(c)
}
