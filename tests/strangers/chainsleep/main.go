// SPDX-License-Identifier: Apache-2.0

// A checkout passes three departments, each with goroutines of its own; the second one waits 15 ms for a settlement.
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
	"strings"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type checkout struct {
	order int
	done  chan bool
}

type department struct {
	name string
	in   chan checkout
}

func newDepartment(name string, people int, work func(order int)) *department {
	d := &department{name: name, in: make(chan checkout)}
	for n := 0; n < people; n++ {
		go d.serve(work)
	}
	return d
}

func (d *department) serve(work func(order int)) {
	for c := range d.in {
		work(c.order)
		c.done <- true
	}
}

func (d *department) ask(order int) {
	c := checkout{order: order, done: make(chan bool)}
	d.in <- c
	<-c.done
}

func reserveStock(order int) {
	sum := sha256.Sum256([]byte(strconv.Itoa(order)))
	for n := 0; n < 300; n++ {
		sum = sha256.Sum256(sum[:])
	}
}

func settlePayment(order int) {
	time.Sleep(15 * time.Millisecond)
}

func printAddress(order int) {
	text := strings.Repeat("street "+strconv.Itoa(order)+" ", 200)
	strings.ToUpper(text)
}

type till struct{ stock, payment, shipping *department }

func (t *till) handleCheckout(w http.ResponseWriter, r *http.Request) {
	order, _ := strconv.Atoi(r.FormValue("n"))
	t.stock.ask(order)
	t.payment.ask(order)
	t.shipping.ask(order)
	io.WriteString(w, "paid\n")
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	t := &till{
		stock:    newDepartment("stock", 8, reserveStock),
		payment:  newDepartment("payment", 8, settlePayment),
		shipping: newDepartment("shipping", 8, printAddress),
	}
	http.HandleFunc("/checkout", t.handleCheckout)
	startClients(listen(nil)+"/checkout", 8, 0)
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
