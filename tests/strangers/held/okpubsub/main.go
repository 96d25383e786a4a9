// SPDX-License-Identifier: Apache-2.0

// Healthy: a broker that passes a message every 2 ms to 20 subscribers, each of which keeps up.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type message struct {
	number int
	sent   time.Time
}

type broker struct {
	mu          sync.RWMutex
	subscribers []chan message
	dropped     atomic.Int64
}

func (b *broker) subscribe() <-chan message {
	c := make(chan message, 16)
	b.mu.Lock()
	b.subscribers = append(b.subscribers, c)
	b.mu.Unlock()
	return c
}

func (b *broker) publish(m message) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, c := range b.subscribers {
		select {
		case c <- m:
		default:
			b.dropped.Add(1)
		}
	}
}

func follow(messages <-chan message, took *timings) {
	for m := range messages {
		sha256.Sum256([]byte(strconv.Itoa(m.number)))
		took.add(time.Since(m.sent))
	}
}

func main() {
	flag.Parse()
	var took timings
	b := &broker{}
	for n := 0; n < 20; n++ {
		go follow(b.subscribe(), &took)
	}
	ticker := time.NewTicker(2 * time.Millisecond)
	for n, until := 0, time.Now().Add(*runFor); time.Now().Before(until); n++ {
		<-ticker.C
		b.publish(message{n, time.Now()})
	}
	took.print()
	fmt.Printf("dropped=%d\n", b.dropped.Load())
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
