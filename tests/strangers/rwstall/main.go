// SPDX-License-Identifier: Apache-2.0

// A router reads its rules under a read lock; every 400 ms they are fetched anew, under the write lock, for 150 ms.
package main

import (
	"crypto/sha256"
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

type router struct {
	mu    sync.RWMutex
	rules map[string]string
}

// fetchRules gets the rules from the configuration service.
func fetchRules() map[string]string {
	time.Sleep(150 * time.Millisecond)
	rules := map[string]string{}
	for n := 0; n < 500; n++ {
		rules["/path/"+strconv.Itoa(n)] = "backend-" + strconv.Itoa(n%7)
	}
	return rules
}

func (r *router) reload() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = fetchRules()
}

func (r *router) reloadLoop() {
	for range time.Tick(400 * time.Millisecond) {
		r.reload()
	}
}

func (r *router) backendOf(path string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.rules[path]
}

func (r *router) handleRoute(w http.ResponseWriter, q *http.Request) {
	n, _ := strconv.Atoi(q.FormValue("n"))
	backend := r.backendOf("/path/" + strconv.Itoa(n%500))
	sum := sha256.Sum256([]byte(backend))
	fmt.Fprintf(w, "%s %x\n", backend, sum[:4])
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	r := &router{}
	r.reload()
	go r.reloadLoop()
	http.HandleFunc("/route", r.handleRoute)
	startClients(listen(nil)+"/route", 10, 5*time.Millisecond)
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
