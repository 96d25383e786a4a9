// SPDX-License-Identifier: Apache-2.0

// Workers add a place to each visit. One of three questions is never answered, and costs the whole deadline of 40 ms.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type question struct {
	address int
	answer  chan string
}

type geo struct{ questions chan question }

func (g *geo) locate(ctx context.Context, address int) (string, error) {
	q := question{address: address, answer: make(chan string, 1)}
	g.questions <- q
	select {
	case place := <-q.answer:
		return place, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// answerQuestions is the service of places; it has lost one of its three partitions.
func (g *geo) answerQuestions() {
	for q := range g.questions {
		if q.address%3 != 2 {
			q.answer <- "place " + strconv.Itoa(q.address)
		}
	}
}

type worker struct {
	places *geo
	lost   int
}

func (w *worker) enrichVisit(visit int) {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Millisecond)
	defer cancel()
	sum := sha256.Sum256([]byte(strconv.Itoa(visit)))
	if _, err := w.places.locate(ctx, visit+int(sum[0])); err != nil {
		w.lost++
	}
}

func (w *worker) run(visits <-chan int, took *timings, wg *sync.WaitGroup) {
	defer wg.Done()
	for visit := range visits {
		began := time.Now()
		w.enrichVisit(visit)
		took.add(time.Since(began))
	}
}

func main() {
	flag.Parse()
	g := &geo{questions: make(chan question, 16)}
	go g.answerQuestions()
	var took timings
	var wg sync.WaitGroup
	visits := make(chan int)
	for n := 0; n < 8; n++ {
		wg.Add(1)
		go (&worker{places: g}).run(visits, &took, &wg)
	}
	for n, until := 0, time.Now().Add(*runFor); time.Now().Before(until); n++ {
		visits <- n
	}
	close(visits)
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
