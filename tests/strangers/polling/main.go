// SPDX-License-Identifier: Apache-2.0

// A client of a render queue looks every 20 ms whether its job is done; the job itself needs 2 ms.
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

type renderJob struct {
	id   int
	done bool
}

type renderQueue struct {
	mu   sync.Mutex
	jobs map[int]*renderJob
	work chan *renderJob
}

func drawFrame(id int) uint32 {
	frame := bytes.Repeat([]byte{byte(id)}, 64<<10)
	sum := uint32(0)
	for n := 0; n < 100; n++ {
		sum = crc32.Update(sum, crc32.IEEETable, frame)
	}
	return sum
}

func (q *renderQueue) run() {
	for j := range q.work {
		drawFrame(j.id)
		q.mu.Lock()
		j.done = true
		q.mu.Unlock()
	}
}

func (q *renderQueue) isDone(id int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.jobs[id].done
}

func (q *renderQueue) await(id int) {
	for !q.isDone(id) {
		time.Sleep(20 * time.Millisecond)
	}
}

func (q *renderQueue) handleRender(user, n int) {
	j := &renderJob{id: user<<32 + n}
	q.mu.Lock()
	q.jobs[j.id] = j
	q.mu.Unlock()
	q.work <- j
	q.await(j.id)
	q.mu.Lock()
	delete(q.jobs, j.id)
	q.mu.Unlock()
}

func main() {
	flag.Parse()
	q := &renderQueue{jobs: map[int]*renderJob{}, work: make(chan *renderJob, 16)}
	go q.run()
	drive(3, 5*time.Millisecond, q.handleRender)
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
