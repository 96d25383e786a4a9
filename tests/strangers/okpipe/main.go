// SPDX-License-Identifier: Apache-2.0

// Healthy: a pipeline of three stages that need the same time, fed at two thirds of their capacity.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"sort"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type reading struct {
	sensor int
	raw    []byte
	value  uint32
	began  time.Time
}

func decodeReading(r *reading) {
	for n := 0; n < 40; n++ {
		r.value = crc32.Update(r.value, crc32.IEEETable, r.raw)
	}
}

func scaleReading(r *reading) {
	for n := 0; n < 40; n++ {
		r.value ^= crc32.ChecksumIEEE(r.raw)
	}
}

func checkReading(r *reading) {
	for n := 0; n < 40; n++ {
		r.value += crc32.ChecksumIEEE(r.raw)
	}
}

func stage(in <-chan *reading, out chan<- *reading, work func(*reading)) {
	defer close(out)
	for r := range in {
		work(r)
		out <- r
	}
}

// sense makes a reading every 2 ms.
func sense(out chan<- *reading, until time.Time) {
	defer close(out)
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for n := 0; time.Now().Before(until); n++ {
		<-ticker.C
		out <- &reading{sensor: n % 9, raw: bytes.Repeat([]byte{byte(n)}, 64<<10), began: time.Now()}
	}
}

func main() {
	flag.Parse()
	var took timings
	sensed, decoded := make(chan *reading, 8), make(chan *reading, 8)
	scaled, checked := make(chan *reading, 8), make(chan *reading, 8)
	go sense(sensed, time.Now().Add(*runFor))
	go stage(sensed, decoded, decodeReading)
	go stage(decoded, scaled, scaleReading)
	go stage(scaled, checked, checkReading)
	for r := range checked {
		took.add(time.Since(r.began))
	}
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
