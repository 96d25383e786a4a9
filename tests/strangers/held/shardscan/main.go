// SPDX-License-Identifier: Apache-2.0

// Visits lie in eight shards by tenant, but one tenant has nearly all; a sweeper goes through its map under the lock.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type shard struct {
	mu     sync.Mutex
	visits map[int]int64
}

// expire deletes old visits; it looks at each one.
func (s *shard) expire(now int64) (old int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for visitor, at := range s.visits {
		if now-at > 1<<40 {
			delete(s.visits, visitor)
			old++
		}
	}
	return old
}

func (s *shard) touch(visitor int, now int64) {
	s.mu.Lock()
	s.visits[visitor] = now
	s.mu.Unlock()
}

type visits struct{ shards [8]shard }

func (v *visits) shardOf(tenant string) *shard {
	h := fnv.New32a()
	io.WriteString(h, tenant)
	return &v.shards[h.Sum32()%8]
}

func (v *visits) sweep() {
	for {
		for n := range v.shards {
			v.shards[n].expire(time.Now().UnixNano())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (v *visits) handleVisit(user, n int) {
	tenant := "acme"
	if n%20 == 0 {
		tenant = "tenant-" + strconv.Itoa(user)
	}
	v.shardOf(tenant).touch(user*100000+n%30000, time.Now().UnixNano())
}

func main() {
	flag.Parse()
	v := &visits{}
	for n := range v.shards {
		v.shards[n].visits = map[int]int64{}
	}
	for n := 0; n < 400000; n++ {
		v.shardOf("acme").touch(n, time.Now().UnixNano())
	}
	go v.sweep()
	drive(6, time.Millisecond, v.handleVisit)
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
