// SPDX-License-Identifier: Apache-2.0

// Quotes are computed in half a millisecond, but three goroutines beside them recompute percentiles without a pause.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type metrics struct {
	mu      sync.Mutex
	samples []float64
	p99     float64
}

func (m *metrics) add(v float64) {
	m.mu.Lock()
	m.samples[int(v)%len(m.samples)] = v
	m.mu.Unlock()
}

// recompute sorts a copy of all samples.
func (m *metrics) recompute() {
	m.mu.Lock()
	sorted := slices.Clone(m.samples)
	m.mu.Unlock()
	sort.Float64s(sorted)
	m.mu.Lock()
	m.p99 = sorted[len(sorted)*99/100]
	m.mu.Unlock()
}

func (m *metrics) refresh() {
	for {
		m.recompute()
	}
}

func priceOf(article string) uint32 {
	sum := sha256.Sum256([]byte(article))
	for n := 0; n < 1500; n++ {
		sum = sha256.Sum256(sum[:])
	}
	return binary.LittleEndian.Uint32(sum[:])
}

type desk struct{ metrics *metrics }

func (d *desk) handleQuote(w http.ResponseWriter, r *http.Request) {
	price := priceOf(r.FormValue("n"))
	d.metrics.add(float64(price))
	fmt.Fprintln(w, price)
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	m := &metrics{samples: make([]float64, 50000)}
	for n := range m.samples {
		m.samples[n] = rand.Float64() * 1e6
	}
	for n := 0; n < 3; n++ {
		go m.refresh()
	}
	http.HandleFunc("/quote", (&desk{m}).handleQuote)
	startClients(listen(nil)+"/quote", 4, 5*time.Millisecond)
}

var (
	loadURL   = flag.String("load", "", "be the clients of this URL")
	loadUsers = flag.Int("clients", 8, "how many clients")
	loadPause = flag.Duration("pause", 0, "how long a client pauses between two requests")
)

// beClients is the load, in a process of its own: each client sends one request after the other.
func beClients() {
	var took timings
	var wg sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *loadUsers}}
	until := time.Now().Add(*runFor)
	for user := 0; user < *loadUsers; user++ {
		wg.Add(1)
		go func(user int) {
			defer wg.Done()
			for n, failed := user, 0; time.Now().Before(until) && failed < 20; n += *loadUsers {
				began := time.Now()
				reply, err := client.Get(*loadURL + "?n=" + strconv.Itoa(n))
				if err != nil {
					failed++
					time.Sleep(20 * time.Millisecond)
					continue
				}
				io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
				took.add(time.Since(began))
				time.Sleep(*loadPause)
			}
		}(user)
	}
	wg.Wait()
	took.print()
}

// startClients starts this program as its own load, and returns when the load has ended.
func startClients(url string, users int, pause time.Duration) {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command(self, "-t", runFor.String(), "-load", url, "-clients", strconv.Itoa(users),
		"-pause", pause.String())
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
}

// listen serves on a free port of the loopback address and returns the URL.
func listen(handler http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(l, handler)
	return "http://" + l.Addr().String()
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
