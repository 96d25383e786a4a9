// SPDX-License-Identifier: Apache-2.0

// A gateway sends messages under a limit of 200 a second, for ten senders that could send more.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type limiter struct{ tokens chan struct{} }

func newLimiter(every time.Duration, burst int) *limiter {
	l := &limiter{tokens: make(chan struct{}, burst)}
	go l.refill(every)
	return l
}

func (l *limiter) refill(every time.Duration) {
	for range time.Tick(every) {
		select {
		case l.tokens <- struct{}{}:
		default:
		}
	}
}

func (l *limiter) Wait(ctx context.Context) error {
	select {
	case <-l.tokens:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type gateway struct {
	limit *limiter
	sent  atomic.Int64
}

func (g *gateway) encode(number int, text string) []byte {
	message, err := json.Marshal(map[string]any{"to": number, "text": text, "parts": len(text)/160 + 1})
	if err != nil {
		log.Fatal(err)
	}
	return message
}

func (g *gateway) sendMessage(ctx context.Context, number int, text string) error {
	if err := g.limit.Wait(ctx); err != nil {
		return err
	}
	g.sent.Add(int64(len(g.encode(number, text))))
	return nil
}

func main() {
	flag.Parse()
	g := &gateway{limit: newLimiter(5*time.Millisecond, 4)}
	drive(10, 0, func(user, n int) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		g.sendMessage(ctx, user*1000+n, "your code is "+strconv.Itoa(n))
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
