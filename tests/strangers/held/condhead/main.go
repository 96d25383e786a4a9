// SPDX-License-Identifier: Apache-2.0

// A print server with one worker and a queue with a condition: labels wait behind each catalogue.
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

type job struct {
	pages int
	done  chan struct{}
}

type printer struct {
	mu    sync.Mutex
	work  *sync.Cond
	queue []*job
}

func newPrinter() *printer {
	p := &printer{}
	p.work = sync.NewCond(&p.mu)
	return p
}

func (p *printer) submit(pages int) {
	j := &job{pages: pages, done: make(chan struct{})}
	p.mu.Lock()
	p.queue = append(p.queue, j)
	p.mu.Unlock()
	p.work.Signal()
	<-j.done
}

func (p *printer) next() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 {
		p.work.Wait()
	}
	j := p.queue[0]
	p.queue = p.queue[1:]
	return j
}

func rasterise(page int) uint32 {
	line := bytes.Repeat([]byte{byte(page)}, 4096)
	sum := uint32(0)
	for y := 0; y < 300; y++ {
		sum = crc32.Update(sum, crc32.IEEETable, line)
	}
	return sum
}

func printLabel(j *job) { rasterise(0) }

func printCatalogue(j *job) {
	for page := 0; page < j.pages; page++ {
		rasterise(page)
		time.Sleep(500 * time.Microsecond)
	}
}

func (p *printer) run() {
	for {
		j := p.next()
		if j.pages > 1 {
			printCatalogue(j)
		} else {
			printLabel(j)
		}
		close(j.done)
	}
}

func (p *printer) handlePrint(user, n int) {
	if user == 0 {
		p.submit(60)
	} else {
		p.submit(1)
	}
}

func main() {
	flag.Parse()
	p := newPrinter()
	go p.run()
	drive(10, 2*time.Millisecond, p.handlePrint)
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
