// SPDX-License-Identifier: Apache-2.0

// A report goes to its reader field by field, each field by a write of its own.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type csvWriter struct{ to io.Writer }

func (c *csvWriter) field(text string, last bool) error {
	end := ","
	if last {
		end = "\n"
	}
	_, err := io.WriteString(c.to, text+end)
	return err
}

func (c *csvWriter) row(cells []string) error {
	for n, cell := range cells {
		if err := c.field(cell, n == len(cells)-1); err != nil {
			return err
		}
	}
	return nil
}

// sendReport writes the report of a day: 150 rows of 12 cells.
func sendReport(conn net.Conn, day int) error {
	c := &csvWriter{to: conn}
	cells := make([]string, 12)
	for row := 0; row < 150; row++ {
		for n := range cells {
			cells[n] = strconv.Itoa(day + row*n)
		}
		if err := c.row(cells); err != nil {
			return err
		}
	}
	return nil
}

// readReports is the other end: an answer after each report.
func readReports(conn net.Conn) {
	rows := 0
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if rows++; rows%150 == 0 {
			io.WriteString(conn, "thanks\n")
		}
	}
}

func main() {
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go readReports(conn)
		}
	}()
	conns := make([]net.Conn, 2)
	for n := range conns {
		if conns[n], err = net.Dial("tcp", l.Addr().String()); err != nil {
			log.Fatal(err)
		}
	}
	drive(len(conns), 5*time.Millisecond, func(user, n int) {
		if err := sendReport(conns[user], n); err != nil {
			log.Fatal(err)
		}
		bufio.NewReader(conns[user]).ReadString('\n')
	})
}

// drive calls op in so many goroutines, each one call after the other, and prints how long calls took.
func drive(users int, pause time.Duration, op func(user, n int)) {
	var took timings
	var wg sync.WaitGroup
	until := time.Now().Add(*runFor)
	for user := 0; user < users; user++ {
		wg.Add(1)
		go func(user int) {
			defer wg.Done()
			for n := 0; time.Now().Before(until); n++ {
				began := time.Now()
				op(user, n)
				took.add(time.Since(began))
				time.Sleep(pause)
			}
		}(user)
	}
	wg.Wait()
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
