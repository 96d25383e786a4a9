// SPDX-License-Identifier: Apache-2.0

//go:build go1.22

// objects allocates known objects of 1 KiB and more from several goroutines, with and without pointers, while the
// collector runs, and then says which: "object ADDRESS TYPE" for each, where a slice has the type of its elements and a
// string none, and "class BYTES ALLOCATED FREED" for each size of slot, as runtime.MemStats has them. Then it prints "done".
//
//	objects [-n ROUNDS] [-wait]
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

var (
	rounds = flag.Int("n", 300, "rounds of each goroutine, of five objects")
	wait   = flag.Bool("wait", false, "print ready and wait for a line of stdin first")
)

const workers = 4

type plain struct{ data [1100]byte }

// Of each there is one: made just before and just after the numbers of "class" were taken.
type before struct{ data [60000]byte }
type after struct{ data [60000]byte }

type linked struct {
	next *linked
	data [248]*byte
}

type object struct {
	addr     uintptr
	typeName string
}

var (
	made [workers][]object
	sink [workers]any
	last [workers]*linked
)

//go:noinline
func keep(w int, x any, p unsafe.Pointer, typeName string) {
	sink[w] = x
	made[w] = append(made[w], object{uintptr(p), typeName})
}

func allocate(w int) {
	for i := range *rounds {
		a := new(plain)
		keep(w, a, unsafe.Pointer(a), "main.plain")
		b := &linked{next: last[w]}
		if last[w] = b; i%10 == 0 {
			last[w] = nil
		}
		keep(w, b, unsafe.Pointer(b), "main.linked")
		c := make([]int64, 500+i%1000)
		keep(w, c, unsafe.Pointer(&c[0]), "int64")
		d := make([]*linked, 300)
		keep(w, d, unsafe.Pointer(&d[0]), "*main.linked")
		e := strings.Repeat("x", 40000)
		keep(w, nil, unsafe.Pointer(unsafe.StringData(e)), "-")
	}
}

func collect(done chan bool) {
	for {
		select {
		case <-done:
			return
		default:
			runtime.GC()
		}
	}
}

func main() {
	flag.Parse()
	for w := range made {
		made[w] = make([]object, 0, *rounds*5)
	}
	if *wait {
		fmt.Println("ready")
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	done := make(chan bool)
	go collect(done)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			allocate(w)
		}()
	}
	wg.Wait()
	done <- true
	runtime.GC() // and sweeps all: from here on nothing is freed
	var stats runtime.MemStats
	sink[0] = new(before)
	runtime.ReadMemStats(&stats)
	sink[1] = new(after)
	for _, c := range stats.BySize {
		if c.Size >= 1024 {
			fmt.Println("class", c.Size, c.Mallocs, c.Frees)
		}
	}
	for _, objects := range made {
		for _, o := range objects {
			fmt.Printf("object %#x %s\n", o.addr, o.typeName)
		}
	}
	fmt.Println("done")
}
