// SPDX-License-Identifier: Apache-2.0

// regions calls functions that end in all ways in which functions end, in several goroutines, and counts and times the calls
// itself. It prints for each function:
//
//	calls FUNCTION BEGUN RETURNED NANOSECONDS
//
// the calls that began, those that returned, and the sum of the time that these took as its own clock has it. Arguments: how
// many goroutines, how many rounds in each, and the milliseconds to wait before the first.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type count struct{ begun, returned, ns int64 }

var counts = map[string]*count{
	"main.(*cart).total": {}, "main.fibonacci": {}, "main.panics": {}, "main.recovers": {}, "main.exits": {},
	"main.leaf": {}, "main.deep": {}, "main.annotated": {}, "main.results": {}, "main.waits": {},
	"main.aligned": {},
}

// timed runs f and counts it for the function of that name.
func timed(name string, f func()) {
	c := counts[name]
	atomic.AddInt64(&c.begun, 1)
	begin := time.Now()
	f()
	atomic.AddInt64(&c.ns, int64(time.Since(begin)))
	atomic.AddInt64(&c.returned, 1)
}

type cart struct{ price int }

var errEmpty = errors.New("the cart is empty")

// total has arguments and results of all kinds that gotap records.
//
//go:noinline
func (c *cart) total(n int, name string, cheap bool) (int, error) {
	if n == 0 {
		return 0, errEmpty
	}
	sum := 0
	for i := 0; i < n; i++ {
		sum += c.price
	}
	if cheap {
		sum /= 2
	}
	return sum + len(name), nil
}

//go:noinline
func fibonacci(n int) int {
	c := counts["main.fibonacci"]
	atomic.AddInt64(&c.begun, 1)
	r := n
	if n > 1 {
		r = fibonacci(n-1) + fibonacci(n-2)
	}
	atomic.AddInt64(&c.returned, 1)
	return r
}

// panics does not return for one argument of three.
//
//go:noinline
func panics(n int) int {
	if n%3 == 0 {
		panic(n)
	}
	return n + 1
}

// recovers returns always, and so do those who call it.
//
//go:noinline
func recovers(n int) (r int) {
	defer func() {
		if recover() != nil {
			r = -1
		}
	}()
	return panics(n)
}

// exits ends its goroutine, so that it does not return.
//
//go:noinline
func exits() {
	runtime.Goexit()
}

// leaf has no frame of its own.
//
//go:noinline
func leaf(n int) int { return n ^ 1 }

// deep needs more stack at each depth, so that the stack moves amid the calls.
//
//go:noinline
func deep(n int) byte {
	var frame [1 << 10]byte
	frame[n] = byte(n)
	if n > 0 {
		frame[n] += deep(n - 1)
	}
	return frame[n]
}

// annotated has a region of the program around its body, and one that it leaves open.
//
//go:noinline
func annotated(ctx context.Context) {
	trace.WithRegion(ctx, "own", func() { leafs.Add(3) })
	trace.StartRegion(ctx, "open")
}

//go:noinline
func results(n int64) (string, bool, error) {
	if n&1 == 0 {
		return "even", true, nil
	}
	return "odd", false, errEmpty
}

// aligned has arguments of which the place on the stack depends on the alignment of those before.
//
//go:noinline
func aligned(odd bool, pair [2]byte, z complex64, n int32) int32 { return n + int32(pair[1]) }

// idle is a return instruction and nothing else.
//
//go:noinline
func idle() {}

// waits is slow because it waits.
//
//go:noinline
func waits(d time.Duration) { time.Sleep(d) }

type total struct{ n int64 }

func (t *total) Add(n int64) { atomic.AddInt64(&t.n, n) }

var leafs total

// inlined has no code of its own, and copies in its callers.
func inlined(n int) int { return n + 7 }

func round(ctx context.Context, i int) {
	c := &cart{price: i}
	timed("main.(*cart).total", func() { c.total(i%5, "apples", i%2 == 0) })
	fibonacci(6)
	atomic.AddInt64(&counts["main.panics"].begun, 1)
	timed("main.recovers", func() {
		if recovers(i) != -1 {
			atomic.AddInt64(&counts["main.panics"].returned, 1)
		}
	})
	timed("main.leaf", func() { leafs.Add(int64(leaf(i))) })
	timed("main.annotated", func() { annotated(ctx) })
	timed("main.results", func() { results(int64(i)) })
	timed("main.aligned", func() { leafs.Add(int64(aligned(i%2 != 0, [2]byte{1, 2}, 3+4i, int32(-i)))) })
	idle()
	leafs.Add(int64(inlined(i)))
	if i%10 == 0 {
		timed("main.waits", func() { waits(time.Millisecond) })
	}
}

func worker(ctx context.Context, rounds int) {
	for i := 0; i < rounds; i++ {
		round(ctx, i)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := 0; i < 40; i++ {
			atomic.AddInt64(&counts["main.deep"].begun, 1)
		}
		timed("main.deep", func() { deep(39) })
		atomic.AddInt64(&counts["main.deep"].begun, -1)
		atomic.AddInt64(&counts["main.deep"].returned, 39)
		atomic.AddInt64(&counts["main.exits"].begun, 1)
		exits()
	}()
	<-done
}

func main() {
	number := func(i, or int) int {
		if len(os.Args) > i {
			n, _ := strconv.Atoi(os.Args[i])
			return n
		}
		return or
	}
	fmt.Println("ready")
	time.Sleep(time.Duration(number(3, 0)) * time.Millisecond)
	var wg sync.WaitGroup
	for i := number(1, 2); i > 0; i-- {
		wg.Add(1)
		go func() {
			defer wg.Done()
			worker(context.Background(), number(2, 30))
		}()
	}
	wg.Wait()
	for name, c := range counts {
		fmt.Println("calls", name, c.begun, c.returned, c.ns)
	}
	fmt.Fprintln(os.Stderr, leafs.n)
}
