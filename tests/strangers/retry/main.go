// SPDX-License-Identifier: Apache-2.0

// A courier posts parcels to a service that refuses two of three requests; it tries again after a pause.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type courier struct {
	client *http.Client
	depot  string
}

func (c *courier) post(parcel int) error {
	reply, err := c.client.Get(c.depot + "/parcel?n=" + strconv.Itoa(parcel))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, reply.Body)
	if reply.StatusCode != http.StatusOK {
		return errors.New(reply.Status)
	}
	return nil
}

// backOff waits before the next attempt: 10 ms, 20 ms, 40 ms, up to 80 ms.
func backOff(ctx context.Context, attempt int) error {
	timer := time.NewTimer(10 * time.Millisecond << min(attempt, 3))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *courier) deliver(ctx context.Context, parcel int) error {
	for attempt := 0; ; attempt++ {
		err := c.post(parcel)
		if err == nil {
			return nil
		}
		if err := backOff(ctx, attempt); err != nil {
			return err
		}
	}
}

// depot refuses two of three requests.
type depot struct{ count atomic.Int64 }

func (d *depot) handleParcel(w http.ResponseWriter, r *http.Request) {
	if d.count.Add(1)%3 != 0 {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "taken")
}

func main() {
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/parcel", new(depot).handleParcel)
	go http.Serve(l, mux)
	c := &courier{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
		depot:  "http://" + l.Addr().String(),
	}
	drive(8, 0, func(user, n int) { c.deliver(context.Background(), n) })
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
