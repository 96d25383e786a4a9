// SPDX-License-Identifier: Apache-2.0

// Inserts are written in batches of 100, or after 150 ms; there are never 100 of them, so each one waits for the timer.
package main

import (
	"bytes"
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

type insert struct {
	row  string
	done chan error
}

type batcher struct{ in chan insert }

// collect gathers inserts until the batch is full or 150 ms have passed.
func (b *batcher) collect() (batch []insert) {
	batch = append(batch, <-b.in)
	timer := time.NewTimer(150 * time.Millisecond)
	defer timer.Stop()
	for len(batch) < 100 {
		select {
		case i := <-b.in:
			batch = append(batch, i)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

func writeRows(batch []insert) error {
	var rows bytes.Buffer
	for _, i := range batch {
		rows.WriteString(i.row)
		rows.WriteByte('\n')
	}
	_, err := io.Copy(io.Discard, &rows)
	return err
}

func (b *batcher) run() {
	for {
		batch := b.collect()
		err := writeRows(batch)
		for _, i := range batch {
			i.done <- err
		}
	}
}

func (b *batcher) add(row string) error {
	i := insert{row: row, done: make(chan error, 1)}
	b.in <- i
	return <-i.done
}

func (b *batcher) handleInsert(w http.ResponseWriter, r *http.Request) {
	if err := b.add("row " + r.FormValue("n")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	io.WriteString(w, "written\n")
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	b := &batcher{in: make(chan insert)}
	go b.run()
	http.HandleFunc("/insert", b.handleInsert)
	startClients(listen(nil)+"/insert", 6, 10*time.Millisecond)
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
