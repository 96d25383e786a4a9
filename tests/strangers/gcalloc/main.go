// SPDX-License-Identifier: Apache-2.0

// Thumbnails are drawn in buffers of a pool that never fit, so that each one needs a new buffer; GOGC is 15.
package main

import (
	"flag"
	"fmt"
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type label struct {
	text string
	next *label
}

type thumbnailer struct {
	pool   sync.Pool
	labels map[int]*label
}

// buffer returns size bytes. The pool has only buffers that release has cut, which are too small.
func (t *thumbnailer) buffer(size int) []byte {
	if b, ok := t.pool.Get().(*[]byte); ok && cap(*b) >= size {
		return (*b)[:size]
	}
	return make([]byte, size)
}

func (t *thumbnailer) release(b []byte) {
	b = b[:0:512]
	t.pool.Put(&b)
}

func (t *thumbnailer) draw(b []byte, n int) uint32 {
	for y := 0; y < len(b); y += 4096 {
		b[y] = byte(n + y)
	}
	return crc32.ChecksumIEEE(b[:64<<10])
}

func (t *thumbnailer) handleThumb(user, n int) {
	b := t.buffer(2 << 20)
	t.draw(b, n)
	t.release(b)
}

func main() {
	flag.Parse()
	debug.SetGCPercent(15)
	t := &thumbnailer{labels: map[int]*label{}}
	for n := 0; n < 400000; n++ {
		t.labels[n] = &label{text: strconv.Itoa(n), next: t.labels[n/2]}
	}
	drive(4, 2*time.Millisecond, t.handleThumb)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("collections=%d of the CPU %.2f\n", m.NumGC, m.GCCPUFraction)
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
