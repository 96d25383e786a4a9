// SPDX-License-Identifier: Apache-2.0

// An intake of events hands each event to an uploader, over a channel for 64 events that is always full.
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

type event struct{ key, body string }

type intake struct{ queue chan event }

func (i *intake) handleEvent(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	i.queue <- event{key: r.FormValue("n"), body: string(body)}
	w.WriteHeader(http.StatusAccepted)
}

type uploader struct {
	conn  net.Conn
	reply *bufio.Reader
}

// upload sends one event and waits for its acknowledgement.
func (u *uploader) upload(e event) error {
	if _, err := fmt.Fprintf(u.conn, "%s %s\n", e.key, e.body); err != nil {
		return err
	}
	_, err := u.reply.ReadString('\n')
	return err
}

func (u *uploader) run(queue <-chan event) {
	for e := range queue {
		if err := u.upload(e); err != nil {
			log.Fatal(err)
		}
	}
}

// acknowledge is the other end: it takes 3 ms for an event.
func acknowledge(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		time.Sleep(3 * time.Millisecond)
		io.WriteString(conn, "ok\n")
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
	go acknowledge(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	i := &intake{queue: make(chan event, 64)}
	go (&uploader{conn: conn, reply: bufio.NewReader(conn)}).run(i.queue)
	http.HandleFunc("/event", i.handleEvent)
	startClients(listen(nil)+"/event", 16, 0)
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
