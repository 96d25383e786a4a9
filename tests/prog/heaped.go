// SPDX-License-Identifier: Apache-2.0

// heaped: allocates in some shapes, blocks and contends, and then is quiet, for `gotap heap`. At SIGUSR1 it writes its
// own profiles to the folder that it was given: heap.N, block.N, mutex.N (debug=0) and heap.N.txt and so on (debug=1),
// N from 1 on, and last a file done.N. At SIGUSR2 it allocates garbage, and collects each second time. Options after the
// folder: off (it sets MemProfileRate to 0 first), busy (it allocates and collects all the time), rate (a file rate has its
// MemProfileRate, looked at each 10 ms).
package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

type node struct {
	a, b int
	s    string
}

var (
	keep [][]byte
	tree = map[int]*node{}
	sink []byte
)

//go:noinline
func big(n int) {
	for i := 0; i < n; i++ {
		keep = append(keep, make([]byte, 10000))
	}
}

func inlined(i int) *node { return &node{a: i, s: fmt.Sprint("n", i)} }

//go:noinline
func small(n int) {
	for i := 0; i < n; i++ {
		tree[i] = inlined(i)
	}
}

//go:noinline
func garbage(n int) {
	for i := 0; i < n; i++ {
		sink = make([]byte, 5000+i%7)
	}
}

//go:noinline
func deep(n int) {
	if n > 0 {
		deep(n - 1)
		return
	}
	keep = append(keep, make([]byte, 1<<20))
}

func contend(mu *sync.Mutex, ch chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for j := 0; j < 100; j++ {
		mu.Lock()
		garbage(20)
		mu.Unlock()
		select {
		case ch <- j:
		case <-ch:
		case <-time.After(time.Millisecond):
		}
	}
}

func block() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	ch := make(chan int)
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go contend(&mu, ch, &wg)
	}
	wg.Wait()
	mu.Lock()
	wg.Add(1)
	go contend(&mu, ch, &wg)
	time.Sleep(5 * time.Millisecond) // it waits for the lock meanwhile
	mu.Unlock()
	wg.Wait()
}

func dump(dir string, n int) {
	for _, name := range []string{"heap", "block", "mutex"} {
		for debug, end := range []string{"", ".txt"} {
			f, err := os.Create(fmt.Sprintf("%s/%s.%d%s", dir, name, n, end))
			if err != nil {
				panic(err)
			}
			if err = pprof.Lookup(name).WriteTo(f, debug); err != nil {
				panic(err)
			}
			f.Close()
		}
	}
	ioutil.WriteFile(fmt.Sprintf("%s/done.%d", dir, n), nil, 0666)
}

func busy() {
	for {
		garbage(300)
		block()
		runtime.GC()
	}
}

// The name of a whole file: no reader finds half a number.
func tellRate(dir string) {
	for last := -1; ; time.Sleep(10 * time.Millisecond) {
		if rate := runtime.MemProfileRate; rate != last {
			last = rate
			ioutil.WriteFile(dir+"/rate.new", []byte(fmt.Sprintln(rate)), 0666)
			os.Rename(dir+"/rate.new", dir+"/rate")
		}
	}
}

func main() {
	has := map[string]bool{}
	for _, option := range os.Args[2:] {
		has[option] = true
	}
	if has["off"] {
		runtime.MemProfileRate = 0
	}
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	big(3000)
	small(50000)
	garbage(50000)
	deep(200)
	block()
	keep = keep[:1500]
	runtime.GC()
	big(300)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	if has["busy"] {
		go busy()
	}
	if has["rate"] {
		go tellRate(os.Args[1])
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("ready")
	for dumps, twos := 0, 0; ; {
		if <-signals == syscall.SIGUSR1 {
			dumps++
			dump(os.Args[1], dumps)
			continue
		}
		twos++
		garbage(20000)
		if twos%2 == 0 {
			runtime.GC()
		}
		ioutil.WriteFile(fmt.Sprintf("%s/did.%d", os.Args[1], twos), nil, 0666)
	}
}
