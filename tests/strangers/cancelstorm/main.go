// SPDX-License-Identifier: Apache-2.0

// A hub with 3000 subscribers cancels the context of all of them every 80 ms, and all subscribe again at once.
package main

import (
	"context"
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

type hub struct {
	mu     sync.Mutex
	epoch  context.Context
	cancel context.CancelFunc
	topics map[string]int
	posts  int
}

// renew begins a new epoch: all who hold the old context have to come again.
func (h *hub) renew() {
	next, cancel := context.WithCancel(context.Background())
	h.mu.Lock()
	old := h.cancel
	h.epoch, h.cancel = next, cancel
	h.mu.Unlock()
	if old != nil {
		old()
	}
}

func (h *hub) renewLoop() {
	for range time.Tick(80 * time.Millisecond) {
		h.renew()
	}
}

func (h *hub) subscribe(topic string) (context.Context, context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[topic]++
	return context.WithCancel(h.epoch)
}

// checkRights is computed for each subscription.
func checkRights(topic string) bool {
	sum := sha256.Sum256([]byte(topic))
	for n := 0; n < 60; n++ {
		sum = sha256.Sum256(sum[:])
	}
	return sum[0] < 255
}

type subscriber struct {
	hub   *hub
	topic string
}

func (s *subscriber) resubscribe() {
	for {
		checkRights(s.topic)
		ctx, cancel := s.hub.subscribe(s.topic)
		<-ctx.Done()
		cancel()
	}
}

func (h *hub) handlePost(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.URL.RawQuery))
	h.mu.Lock()
	h.posts++
	h.mu.Unlock()
	fmt.Fprintf(w, "%x\n", sum[:4])
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	h := &hub{topics: map[string]int{}}
	h.renew()
	for n := 0; n < 3000; n++ {
		go (&subscriber{hub: h, topic: "topic-" + strconv.Itoa(n%200)}).resubscribe()
	}
	go h.renewLoop()
	http.HandleFunc("/post", h.handlePost)
	startClients(listen(nil)+"/post", 6, 2*time.Millisecond)
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
