// SPDX-License-Identifier: Apache-2.0

// healthy: a server with a pool of workers, a cache behind a mutex, a ticker and clients of its own, which does
// nothing wrong; idle if its clients pause for long.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"hash/crc32"
	"net"
	"sync"
	"time"
)

type job struct {
	line  string
	reply chan uint32
}

var (
	clients = flag.Int("clients", 8, "clients")
	pause   = flag.Duration("pause", 0, "of a client between requests")

	jobs  = make(chan job, 64)
	mu    sync.Mutex
	cache = map[string]uint32{}
	data  = make([]byte, 20000)
)

func worker() {
	for j := range jobs {
		mu.Lock()
		sum, ok := cache[j.line]
		mu.Unlock()
		if !ok {
			sum = crc32.ChecksumIEEE(data)
			mu.Lock()
			cache[j.line] = sum
			mu.Unlock()
		}
		j.reply <- sum
	}
}

func handle(c net.Conn) {
	lines := bufio.NewScanner(c)
	reply := make(chan uint32, 1)
	for lines.Scan() {
		jobs <- job{lines.Text(), reply}
		fmt.Fprintln(c, <-reply)
	}
}

func accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		check(err)
		go handle(c)
	}
}

func client(addr string, n int) {
	c, err := net.Dial("tcp", addr)
	check(err)
	answers := bufio.NewScanner(c)
	for i := 0; ; i++ {
		fmt.Fprintln(c, "request", n, i%1000)
		answers.Scan()
		time.Sleep(*pause)
	}
}

func clean() {
	for range time.Tick(100 * time.Millisecond) {
		mu.Lock()
		cache = map[string]uint32{}
		mu.Unlock()
	}
}

func sick() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go accept(ln)
	go clean()
	for i := 0; i < 4; i++ {
		go worker()
	}
	for i := 0; i < *clients; i++ {
		go client(ln.Addr().String(), i)
	}
}
