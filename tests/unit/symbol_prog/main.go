// SPDX-License-Identifier: Apache-2.0

// Command frames holds the kinds of calls whose frames are hard to name, calls
// runtime.Callers in all of them, and prints what the runtime itself makes of
// the addresses, for tests/unit/symbol_runtime.c to compare:
//
//	at PC                   address of main.here, to learn the load bias
//	stack PC...             what runtime.Callers returned
//	frame PC LINE FUNC FILE one for each frame of runtime.CallersFrames
package main

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
)

type stack struct {
	pcs [64]uintptr
	n   int
}

var (
	mu     sync.Mutex
	stacks []stack
)

//go:noinline
func here() {
	var s stack
	s.n = runtime.Callers(1, s.pcs[:])
	mu.Lock()
	stacks = append(stacks, s)
	mu.Unlock()
}

// Inlining, three deep.
func inner(n int) int  { here(); return n + 1 }
func middle(n int) int { return inner(n) * 2 }
func outer(n int) int  { return middle(n) - 3 }

// Methods through interfaces: wrappers for pointer receivers and embedding.
type shape interface{ area() int }
type square struct{ a int }

//go:noinline
func (s square) area() int { here(); return s.a * s.a }

type named struct {
	square
	name string
}

type deep struct{ *named }

func measure(s ...shape) (n int) {
	for _, x := range s {
		n += x.area()
	}
	return
}

func closures() {
	f := func(n int) func() { return func() { here(); outer(n) } }
	f(1)()
	g := square{3}.area
	g()
	h := (*named).area
	h(&named{square{2}, "x"})
}

func deferred(n int) {
	defer outer(n)
	defer func() { outer(n + 1) }()
	for i := 0; i < 2; i++ {
		defer middle(i)
	}
	here()
}

// The wrapper itself panics, so that it stays in the stack.
func panics(s shape) {
	defer func() {
		here()
		if recover() == nil {
			panic("no panic")
		}
		outer(1)
	}()
	s.area()
}

type sorter []string

func (s sorter) Len() int           { return len(s) }
func (s sorter) Less(i, j int) bool { here(); return s[i] < s[j] }
func (s sorter) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

type failure struct{}

func (failure) Error() string { here(); return "failure" }

type stringer struct{ n int }

func (s stringer) String() string { outer(s.n); return "s" }

func goroutines() {
	var wg sync.WaitGroup
	wg.Add(3)
	go func(n int) { defer wg.Done(); outer(n) }(1)
	go run(&wg, square{1})
	go square{5}.spawn(&wg)
	wg.Wait()
	var once sync.Once
	once.Do(func() { here() })
}

//go:noinline
func run(wg *sync.WaitGroup, s shape) { defer wg.Done(); s.area() }

//go:noinline
func (s square) spawn(wg *sync.WaitGroup) { defer wg.Done(); outer(s.a) }

func collect() {
	outer(1)
	generics()
	n := &named{square{3}, "n"}
	measure(square{1}, &square{2}, *n, n, deep{n}, &deep{n})
	closures()
	deferred(1)
	panics((*square)(nil))
	panics(deep{})
	panics((*deep)(nil))
	sort.Sort(sorter{"c", "b", "a"})
	sort.Slice([]int{3, 2, 1}, func(i, j int) bool { here(); return i < j })
	strings.Map(func(r rune) rune { outer(4); return r }, "ab")
	_ = fmt.Sprint(error(failure{}), stringer{1}, errors.Is(failure{}, failure{}))
	reflect.ValueOf(square{4}.area).Call(nil)
	goroutines()
	foreign()
}

func show(s stack) {
	fmt.Print("stack")
	for _, pc := range s.pcs[:s.n] {
		fmt.Printf(" %x", pc)
	}
	fmt.Println()
	frames := runtime.CallersFrames(s.pcs[:s.n])
	for {
		f, more := frames.Next()
		fmt.Printf("frame %x %d %s %s\n", f.PC, f.Line, f.Function, f.File)
		if !more {
			break
		}
	}
}

func main() {
	collect()
	fmt.Printf("at %x\n", reflect.ValueOf(here).Pointer())
	for _, s := range stacks {
		show(s)
	}
}
