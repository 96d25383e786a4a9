// SPDX-License-Identifier: Apache-2.0

// A pipeline without buffers signs invoices: one goroutine signs, all CPUs but one are idle.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type invoice struct {
	number int
	text   []byte
	sum    [32]byte
	began  time.Time
}

// readInvoices is the first stage.
func readInvoices(until time.Time, out chan<- *invoice) {
	defer close(out)
	for n := 0; time.Now().Before(until); n++ {
		text := []byte("invoice " + strconv.Itoa(n) + strings.Repeat(" line", 100))
		out <- &invoice{number: n, text: text, began: time.Now()}
	}
}

// signInvoice stretches the key with the text of the invoice.
func signInvoice(v *invoice) {
	v.sum = sha256.Sum256(v.text)
	for round := 0; round < 20000; round++ {
		v.sum = sha256.Sum256(v.sum[:])
	}
}

// signStage is the second stage.
func signStage(in <-chan *invoice, out chan<- *invoice) {
	defer close(out)
	for v := range in {
		signInvoice(v)
		out <- v
	}
}

// fileInvoices is the last stage.
func fileInvoices(in <-chan *invoice, took *timings) {
	filed := map[int][32]byte{}
	for v := range in {
		filed[v.number%1000] = v.sum
		took.add(time.Since(v.began))
	}
}

func main() {
	flag.Parse()
	var took timings
	read, signed := make(chan *invoice), make(chan *invoice)
	go readInvoices(time.Now().Add(*runFor), read)
	go signStage(read, signed)
	fileInvoices(signed, &took)
	took.print()
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
