// SPDX-License-Identifier: Apache-2.0

// Readers take one of twelve sessions; a session comes back by its finalizer, which needs 10 ms for each of them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type session struct {
	number int
	buffer [16 << 10]byte
}

type warehouse struct{ free chan int }

// closeSession is the finalizer: it says good-bye to the other side, and the number is free again.
func (h *warehouse) closeSession(s *session) {
	time.Sleep(10 * time.Millisecond)
	h.free <- s.number
}

func (h *warehouse) openSession() *session {
	s := &session{number: <-h.free}
	runtime.SetFinalizer(s, h.closeSession)
	return s
}

func (h *warehouse) readShelf(s *session, shelf int) int {
	copy(s.buffer[:], bytes.Repeat([]byte{byte(shelf)}, len(s.buffer)))
	return bytes.Count(s.buffer[:], []byte{byte(shelf)})
}

func (h *warehouse) handleShelf(user, n int) {
	s := h.openSession()
	h.readShelf(s, n)
}

// collect runs the collector often, so that sessions that nobody uses come back at all.
func collect() {
	for range time.Tick(60 * time.Millisecond) {
		runtime.GC()
	}
}

func main() {
	flag.Parse()
	h := &warehouse{free: make(chan int, 12)}
	for n := 0; n < 12; n++ {
		h.free <- n
	}
	go collect()
	drive(4, time.Millisecond, h.handleShelf)
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
