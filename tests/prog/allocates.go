// SPDX-License-Identifier: Apache-2.0

// allocates: allocates objects of known types in known functions when it gets SIGUSR2, and collects until all of them are
// freed but those that it keeps; then it writes a file did.N to the folder that it was given, N from 1 on. At SIGUSR1 it
// writes its allocation profile to allocs.N.txt (debug=1), the statistics of the heap to stats.N, and a file done.N. With a
// second argument, busy, it does nothing but allocate, and samples one allocation in 4 KiB.
package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
)

type leaf struct {
	a, b, c, d int
	next       *leaf
}

var (
	kept   []*[512]byte
	bytes_ []byte
	leaves *leaf
	text   string
	table  map[int]string
	box    interface{}
	pipes  chan [100]int
	ints   []int
)

//go:noinline
func keeps(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, new([512]byte))
	}
}

//go:noinline
func drops(n int) {
	for i := 0; i < n; i++ {
		bytes_ = make([]byte, 5000+i%7)
	}
}

//go:noinline
func chains(n int) {
	leaves = nil
	for i := 0; i < n; i++ {
		leaves = &leaf{a: i, next: leaves}
	}
}

//go:noinline
func grows(n int) {
	ints = nil
	for i := 0; i < n; i++ {
		ints = append(ints, i)
	}
}

//go:noinline
func texts(n int) {
	for i := 0; i < n; i++ {
		text = strings.Repeat("ab", 3000) + text[:i%10]
	}
}

//go:noinline
func maps(n int) {
	table = map[int]string{}
	for i := 0; i < n; i++ {
		table[i] = "x"
	}
}

//go:noinline
func boxes(n int) {
	for i := 0; i < n; i++ {
		var a [100]int
		a[0] = i
		box = a
	}
}

//go:noinline
func channels(n int) {
	for i := 0; i < n; i++ {
		pipes = make(chan [100]int, 10)
	}
}

func works() {
	text = "0123456789"
	keeps(4000)
	drops(4000)
	chains(100000)
	grows(1 << 20)
	texts(2000)
	maps(20000)
	boxes(4000)
	channels(1000)
	leaves, bytes_, ints, text, table, box, pipes = nil, nil, nil, "", nil, nil, nil
	for i := 0; i < 4; i++ {
		runtime.GC()
	}
}

func dump(dir string, n int) {
	var m runtime.MemStats
	f, err := os.Create(fmt.Sprintf("%s/allocs.%d.txt", dir, n))
	if err != nil {
		panic(err)
	}
	if err = pprof.Lookup("allocs").WriteTo(f, 1); err != nil {
		panic(err)
	}
	f.Close()
	runtime.ReadMemStats(&m)
	ioutil.WriteFile(fmt.Sprintf("%s/stats.%d", dir, n), []byte(fmt.Sprintln(m.TotalAlloc, m.Mallocs, m.NumGC)), 0666)
	ioutil.WriteFile(fmt.Sprintf("%s/done.%d", dir, n), nil, 0666)
}

func main() {
	dir := os.Args[1]
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	if len(os.Args) > 2 && os.Args[2] == "busy" {
		runtime.MemProfileRate = 4096
		fmt.Println("ready")
		for ; ; kept = nil {
			works()
		}
	}
	fmt.Println("ready")
	for dumps, dids := 0, 0; ; {
		if <-signals == syscall.SIGUSR1 {
			dumps++
			dump(dir, dumps)
			continue
		}
		works()
		dids++
		ioutil.WriteFile(fmt.Sprintf("%s/did.%d", dir, dids), nil, 0666)
	}
}
