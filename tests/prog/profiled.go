// SPDX-License-Identifier: Apache-2.0

// profiled serves net/http/pprof on a Unix socket, and fills each of its profiles: a goroutine computes in spin, pairs
// of goroutines wait for a lock in hold and for a channel in take, and goroutines with a label wait in idle.
//
//	profiled SOCKET
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

const idlers = 20

var sink uint64

//go:noinline
func spin(until time.Time) {
	for time.Now().Before(until) {
		for i := uint64(0); i < 100000; i++ {
			sink += i * i
		}
	}
}

//go:noinline
func hold(mu *sync.Mutex) {
	mu.Lock()
	time.Sleep(5 * time.Millisecond)
	mu.Unlock()
}

//go:noinline
func take(c chan int) int { return <-c }

//go:noinline
func idle(c chan int) { <-c }

func forever(f func()) {
	for {
		f()
	}
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
	runtime.SetBlockProfileRate(1)
	var mu sync.Mutex
	for i := 0; i < 2; i++ {
		go forever(func() { hold(&mu) })
	}
	c, never := make(chan int), make(chan int)
	go forever(func() { time.Sleep(10 * time.Millisecond); c <- 1 })
	go forever(func() { take(c) })
	pprof.Do(context.Background(), pprof.Labels("role", "idler"), func(context.Context) {
		for i := 0; i < idlers; i++ {
			go idle(never)
		}
	})
	go forever(func() { spin(time.Now().Add(30 * time.Millisecond)); time.Sleep(30 * time.Millisecond) })
	fmt.Println("ready")
	http.Serve(listener, nil)
}
