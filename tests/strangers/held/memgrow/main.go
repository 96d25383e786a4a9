// SPDX-License-Identifier: Apache-2.0

// Logins are remembered and never forgotten: the heap grows up to the limit of memory, and the collector runs all the time.
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
	"runtime/debug"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

const memoryLimit = 96 << 20

type login struct {
	user   string
	rights []string
	before *login
}

type sessions struct {
	mu    sync.Mutex
	all   []*login
	bytes int
}

func (s *sessions) remember(user string) *login {
	l := &login{user: user}
	for n := 0; n < 40; n++ {
		l.rights = append(l.rights, user+"/right/"+strconv.Itoa(n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.all); n > 0 {
		l.before = s.all[n-1]
	}
	if s.bytes < memoryLimit*21/20 { // so that this program ends well, too
		s.all = append(s.all, l)
		s.bytes += 40 * 56
	}
	return l
}

func (s *sessions) handleLogin(w http.ResponseWriter, r *http.Request) {
	l := s.remember("user-" + r.FormValue("n"))
	fmt.Fprintf(w, "%s has %d rights\n", l.user, len(l.rights))
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	debug.SetMemoryLimit(memoryLimit)
	s := &sessions{}
	for n := 0; s.bytes < memoryLimit*9/10; n++ { // the logins of the last days
		s.remember("user" + strconv.Itoa(n))
	}
	http.HandleFunc("/login", s.handleLogin)
	startClients(listen(nil)+"/login", 4, time.Millisecond)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("collections=%d heap=%d MB of the CPU %.2f\n", m.NumGC, m.HeapAlloc>>20, m.GCCPUFraction)
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
