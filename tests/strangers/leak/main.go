// SPDX-License-Identifier: Apache-2.0

// A search takes the first of three answers; the goroutines of the other two wait for ever to send theirs.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type answer struct {
	replica int
	hits    []int
}

type search struct{ docs []string }

func (s *search) scan(word string) (hits []int) {
	for n, doc := range s.docs {
		if strings.Contains(doc, word) {
			hits = append(hits, n)
		}
	}
	return hits
}

func (s *search) askReplica(replica int, word string, answers chan<- answer) {
	hits := s.scan(word)
	answers <- answer{replica, hits}
}

func (s *search) handleSearch(w http.ResponseWriter, r *http.Request) {
	answers := make(chan answer)
	for replica := 0; replica < 3; replica++ {
		go s.askReplica(replica, "w"+r.FormValue("n"), answers)
	}
	first := <-answers
	fmt.Fprintf(w, "%d hits by %d\n", len(first.hits), first.replica)
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	s := &search{}
	for n := 0; n < 1000; n++ {
		s.docs = append(s.docs, fmt.Sprintf("w%d w%d w%d", n, n*3, n*7))
	}
	http.HandleFunc("/search", s.handleSearch)
	startClients(listen(nil)+"/search", 4, 10*time.Millisecond)
	fmt.Printf("goroutines at the end: %d\n", runtime.NumGoroutine())
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
