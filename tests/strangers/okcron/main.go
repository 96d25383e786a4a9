// SPDX-License-Identifier: Apache-2.0

// Healthy: a clock that starts one of four jobs every 200 ms, each of some milliseconds, and sleeps between them.
package main

import (
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type crontab struct {
	jobs []func()
	took timings
}

func rotateFiles() {
	names := make([]string, 5000)
	for n := range names {
		names[n] = "file-" + strconv.Itoa(len(names)-n)
	}
	sort.Strings(names)
}

func sumAccounts() {
	total := 0.0
	for n := 0; n < 400000; n++ {
		total += math.Sqrt(float64(n))
	}
	if total < 0 {
		log.Print("less than nothing")
	}
}

func packReport() {
	w := gzip.NewWriter(io.Discard)
	for n := 0; n < 5000; n++ {
		fmt.Fprintf(w, "row %d\n", n)
	}
	w.Close()
}

func checkSums() {
	sum := sha256.Sum256(nil)
	for n := 0; n < 8000; n++ {
		sum = sha256.Sum256(sum[:])
	}
}

func (c *crontab) runJob(n int) {
	began := time.Now()
	c.jobs[n%len(c.jobs)]()
	c.took.add(time.Since(began))
}

func main() {
	flag.Parse()
	c := &crontab{jobs: []func(){rotateFiles, sumAccounts, packReport, checkSums}}
	ticker := time.NewTicker(200 * time.Millisecond)
	for n, until := 0, time.Now().Add(*runFor); time.Now().Before(until); n++ {
		<-ticker.C
		c.runJob(n)
	}
	c.took.print()
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
