// SPDX-License-Identifier: Apache-2.0

// Items of a store are small, but one request in a hundred exports all of them as one JSON text of some megabytes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type item struct {
	ID     int               `json:"id"`
	Name   string            `json:"name"`
	Prices []float64         `json:"prices"`
	Tags   map[string]string `json:"tags"`
}

type store struct{ items []item }

func newStore(size int) *store {
	s := &store{}
	for n := 0; n < size; n++ {
		s.items = append(s.items, item{
			ID:     n,
			Name:   "item number " + strconv.Itoa(n),
			Prices: []float64{float64(n) * 1.07, float64(n) * 1.19, 17.5},
			Tags:   map[string]string{"colour": "red", "shelf": strconv.Itoa(n % 70)},
		})
	}
	return s
}

func (s *store) exportAll() ([]byte, error) { return json.MarshalIndent(s.items, "", "  ") }

func (s *store) encodeItem(n int) ([]byte, error) { return json.Marshal(&s.items[n%len(s.items)]) }

func (s *store) handleItems(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.FormValue("n"))
	encode := func() ([]byte, error) { return s.encodeItem(n) }
	if n%100 == 99 {
		encode = s.exportAll
	}
	text, err := encode()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(text)
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	http.HandleFunc("/items", newStore(15000).handleItems)
	startClients(listen(nil)+"/items", 4, 4*time.Millisecond)
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
