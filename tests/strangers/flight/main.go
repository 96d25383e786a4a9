// SPDX-License-Identifier: Apache-2.0

// A catalogue that loads an article once for all who ask at the same time; an entry is good for 50 ms.
package main

import (
	"bufio"
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

type entry struct {
	once sync.Once
	text string
	born time.Time
}

type catalogue struct {
	mu      sync.Mutex
	entries map[int]*entry
	backend net.Addr
}

// find returns the entry of the article, which may have no text yet.
func (c *catalogue) find(article int) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[article]
	if e == nil || time.Since(e.born) > 50*time.Millisecond {
		e = &entry{born: time.Now()}
		c.entries[article] = e
	}
	return e
}

// load asks the backend for the text of the article.
func (c *catalogue) load(article int) string {
	conn, err := net.Dial("tcp", c.backend.String())
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%d\n", article)
	text, _ := bufio.NewReader(conn).ReadString('\n')
	return text
}

func (c *catalogue) lookup(article int) string {
	e := c.find(article)
	e.once.Do(func() { e.text = c.load(article) })
	return e.text
}

func (c *catalogue) handleArticle(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.FormValue("n"))
	io.WriteString(w, c.lookup(n%3))
}

// answerArticles is the backend: an answer takes 40 ms.
func answerArticles(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			line, _ := bufio.NewReader(conn).ReadString('\n')
			time.Sleep(40 * time.Millisecond)
			io.WriteString(conn, "article "+line)
		}()
	}
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go answerArticles(l)
	c := &catalogue{entries: map[int]*entry{}, backend: l.Addr()}
	http.HandleFunc("/article", c.handleArticle)
	startClients(listen(nil)+"/article", 16, time.Millisecond)
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
