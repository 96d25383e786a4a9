// SPDX-License-Identifier: Apache-2.0

// Calls of an interface are short, but one in a hundred finds its token expired and waits 50 ms for a new one.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type auth struct {
	uses atomic.Int64
	mu   sync.Mutex
	at   map[int]int64
}

// renew asks for a new token of the tenant.
func (a *auth) renew(tenant int) int64 {
	time.Sleep(50 * time.Millisecond)
	token := rand.Int63()
	a.mu.Lock()
	a.at[tenant] = token
	a.mu.Unlock()
	return token
}

func (a *auth) token(tenant int) int64 {
	if a.uses.Add(1)%100 == 0 {
		return a.renew(tenant)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at[tenant]
}

type ledgerClient struct {
	auth *auth
	url  string
	http *http.Client
}

func (c *ledgerClient) postEntry(tenant, n int) error {
	token := c.auth.token(tenant)
	reply, err := c.http.Get(c.url + "/entry?n=" + strconv.Itoa(n) + "&token=" + strconv.FormatInt(token, 36))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	_, err = io.Copy(io.Discard, reply.Body)
	return err
}

func takeEntry(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok\n") }

func main() {
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/entry", takeEntry)
	go http.Serve(l, mux)
	c := &ledgerClient{
		auth: &auth{at: map[int]int64{}},
		url:  "http://" + l.Addr().String(),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
	drive(6, 2*time.Millisecond, func(user, n int) {
		if err := c.postEntry(user, n); err != nil {
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
