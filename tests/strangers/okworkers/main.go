// SPDX-License-Identifier: Apache-2.0

// Healthy: a pool of as many workers as CPUs, all of them in use, fed from a queue that is never empty.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type job struct{ number, result int }

// compress uses the writer and the buffer of its worker.
func compress(j *job, w *gzip.Writer, text *bytes.Buffer) {
	text.Reset()
	w.Reset(text)
	line := make([]byte, 0, 64)
	for n := 0; n < 1500; n++ {
		line = strconv.AppendInt(line[:0], int64(j.number*n), 10)
		w.Write(append(line, " is the number of a line\n"...))
	}
	w.Close()
	j.result = text.Len()
}

func work(jobs <-chan *job, took *timings) {
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	for j := range jobs {
		began := time.Now()
		compress(j, w, &text)
		took.add(time.Since(began))
	}
}

func main() {
	flag.Parse()
	var took timings
	var wg sync.WaitGroup
	jobs := make(chan *job, 4)
	for n := 0; n < runtime.GOMAXPROCS(0); n++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(jobs, &took)
		}()
	}
	for n, until := 0, time.Now().Add(*runFor); time.Now().Before(until); n++ {
		jobs <- &job{number: n}
	}
	close(jobs)
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
