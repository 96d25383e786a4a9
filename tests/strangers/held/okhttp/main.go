// SPDX-License-Identifier: Apache-2.0

// Healthy: a busy web server at half of its load; a request needs about one millisecond of CPU.
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
	"text/template"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type article struct {
	Title string
	Lines []string
}

var page = template.Must(template.New("page").Parse(
	"<h1>{{.Title}}</h1>{{range .Lines}}<p>{{.}}</p>{{end}}"))

func findArticle(n int) article {
	a := article{Title: "Article " + strconv.Itoa(n)}
	for line := 0; line < 80; line++ {
		a.Lines = append(a.Lines, "line "+strconv.Itoa(line*n))
	}
	return a
}

func handleArticle(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.FormValue("n"))
	var text bytes.Buffer
	for part := 0; part < 12; part++ {
		if err := page.Execute(&text, findArticle(n+part)); err != nil {
			log.Print(err)
		}
	}
	w.Write(text.Bytes()[:4000])
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	http.HandleFunc("/article", handleArticle)
	startClients(listen(nil)+"/article", 8, 12*time.Millisecond)
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
