// SPDX-License-Identifier: Apache-2.0

// A crawler looks each host up by a call that blocks its thread, as getaddrinfo does; two may do so at a time.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type resolver struct{ threads chan struct{} }

// getaddrinfo stands for the function of libc: it blocks the thread for 12 ms.
func getaddrinfo(host string) [4]byte {
	pause := syscall.NsecToTimespec(int64(12 * time.Millisecond))
	syscall.Nanosleep(&pause, nil)
	sum := sha256.Sum256([]byte(host))
	return [4]byte{127, sum[0], sum[1], sum[2]}
}

func (r *resolver) lookup(host string) [4]byte {
	r.threads <- struct{}{}
	defer func() { <-r.threads }()
	return getaddrinfo(host)
}

type crawler struct {
	names *resolver
	seen  sync.Map
}

func (c *crawler) parsePage(host string, address [4]byte) int {
	page := bytes.Repeat([]byte("<a href="+host+">"), 2000)
	return bytes.Count(page, []byte("href"))
}

func (c *crawler) visit(host string) {
	address := c.names.lookup(host)
	c.seen.Store(host, c.parsePage(host, address))
}

func main() {
	flag.Parse()
	c := &crawler{names: &resolver{threads: make(chan struct{}, 2)}}
	drive(12, 0, func(user, n int) { c.visit("host-" + strconv.Itoa(user) + "-" + strconv.Itoa(n%50)) })
}

// drive calls op in so many goroutines, each one call after the other, and prints how long calls took.
func drive(users int, pause time.Duration, op func(user, n int)) {
	var took timings
	var wg sync.WaitGroup
	until := time.Now().Add(*runFor)
	for user := 0; user < users; user++ {
		wg.Add(1)
		go func(user int) {
			defer wg.Done()
			for n := 0; time.Now().Before(until); n++ {
				began := time.Now()
				op(user, n)
				took.add(time.Since(began))
				time.Sleep(pause)
			}
		}(user)
	}
	wg.Wait()
	took.print()
}

// timings has how long each operation took, for the line that is printed at exit.
type timings struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (t *timings) add(d time.Duration) {
	t.mu.Lock()
	t.taken = append(t.taken, d)
	t.mu.Unlock()
}

func (t *timings) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	sort.Slice(t.taken, func(i, j int) bool { return t.taken[i] < t.taken[j] })
	if n := len(t.taken); n > 0 {
		fmt.Printf("ops=%d p50=%v p99=%v max=%v\n", n, t.taken[n/2], t.taken[n*99/100], t.taken[n-1])
	}
}
