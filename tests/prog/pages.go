// SPDX-License-Identifier: Apache-2.0

// pages: a heap of a given size, and goroutines that write to it at a given rate, for images of a heap that changes.
//
//	pages MB idle          nothing runs
//	pages MB write RATE    writes one word in each page of RATE MB a second, one page after the other
//	pages MB alloc RATE    allocates RATE MB a second and keeps half of it for a while
//	pages MB all           writes to all pages, all the time, from as many goroutines as there are CPUs
//	pages MB token         moves the only pointer to an object between 64 words, each in a page of its own, all the time
//
// It prints "token ADDRESS" and a line "slot ADDRESS" for each word, if it moves one, and then "ready". The pointer is
// always in one word at least: it is copied before it is taken away. Each move also counts up two words, "first" before
// "second", so that an image of one moment has second <= first <= second + 1.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"
)

const pageWords = 512

type page [pageWords]unsafe.Pointer

type object struct {
	name string
	pad  [1000]byte
}

var (
	pages  []*page
	kept   [4096][]byte
	counts = new([pageWords]uint64)
)

func number(i int) int {
	if i >= len(os.Args) {
		return 0
	}
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(2)
	}
	return n
}

// each points to the next one, so that all of them have to be looked at
func fill(mb int) {
	pages = make([]*page, mb*256)
	for i := range pages {
		pages[i] = new(page)
		for j := 1; j < pageWords; j += 64 {
			pages[i][j] = unsafe.Pointer(pages[i/2])
		}
	}
}

// paced calls step so that it gets n a second, in portions of a millisecond.
func paced(n int, step func(n int)) {
	begin, done := time.Now(), 0
	for {
		time.Sleep(time.Millisecond)
		due := int(time.Since(begin).Seconds() * float64(n))
		step(due - done)
		done = due
	}
}

func write(rate int) {
	at := 0
	paced(rate*256, func(n int) {
		for i := 0; i < n; i++ {
			pages[at][0] = unsafe.Pointer(pages[0])
			at = (at + 1) % len(pages)
		}
	})
}

func alloc(rate int) {
	at := 0
	paced(rate*512, func(n int) {
		for i := 0; i < n; i++ {
			b := make([]byte, 2048)
			b[0] = 1
			if i%2 == 0 {
				kept[at%len(kept)] = b
				at++
			}
		}
	})
}

func all() {
	for n := 0; n < runtime.NumCPU(); n++ {
		go func() {
			for {
				for _, p := range pages {
					p[0] = unsafe.Pointer(p)
				}
			}
		}()
	}
}

//go:noinline
func move(from, to *page) {
	counts[8]++
	to[0] = from[0]
	from[0] = nil
	counts[9]++
}

func token() {
	step := len(pages) / 66
	t := &object{name: "token"}
	pages[step][0] = unsafe.Pointer(t)
	// as a number: it keeps nothing alive
	fmt.Printf("token %#x\n", ^uintptr(unsafe.Pointer(t)))
	for i := 1; i <= 64; i++ {
		fmt.Printf("slot %#x\n", uintptr(unsafe.Pointer(&pages[i*step][0])))
	}
	fmt.Printf("counts %#x\n", uintptr(unsafe.Pointer(&counts[8])))
	go func() {
		for i := 0; ; i++ {
			move(pages[(i%64+1)*step], pages[((i+1)%64+1)*step])
		}
	}()
}

func main() {
	fill(number(1))
	runtime.GC()
	switch os.Args[2] {
	case "write":
		go write(number(3))
	case "alloc":
		go alloc(number(3))
	case "all":
		all()
	case "token":
		token()
	}
	fmt.Println("ready")
	for {
		time.Sleep(time.Hour)
	}
}
