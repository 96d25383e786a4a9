// SPDX-License-Identifier: Apache-2.0

// A photo album that fetches the thumbnails of a page in a group of goroutines with a limit of three.
package main

import (
	"flag"
	"fmt"
	"log"
	"sort"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

// group runs functions in at most cap(tokens) goroutines, as errgroup does after SetLimit.
type group struct {
	tokens chan struct{}
	wg     sync.WaitGroup
	once   sync.Once
	err    error
}

func newGroup(limit int) *group { return &group{tokens: make(chan struct{}, limit)} }

func (g *group) Go(f func() error) {
	g.tokens <- struct{}{}
	g.wg.Add(1)
	go func() {
		defer func() {
			<-g.tokens
			g.wg.Done()
		}()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	}()
}

func (g *group) Wait() error {
	g.wg.Wait()
	return g.err
}

type album struct{ storage chan []byte }

func (a *album) fetchThumb(page, n int) error {
	timer := time.NewTimer(4*time.Millisecond + time.Duration(n%5)*300*time.Microsecond)
	defer timer.Stop()
	<-timer.C
	return nil
}

func (a *album) renderPage(page int) error {
	g := newGroup(3)
	for n := 0; n < 24; n++ {
		n := n
		g.Go(func() error { return a.fetchThumb(page, n) })
	}
	return g.Wait()
}

func main() {
	flag.Parse()
	a := &album{}
	drive(4, 5*time.Millisecond, func(user, n int) {
		if err := a.renderPage(n); err != nil {
			log.Fatal(err)
		}
	})
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
