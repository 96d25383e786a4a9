// SPDX-License-Identifier: Apache-2.0

// A mailbox keeps connections in a pool that closes those idle for 5 ms, so that nearly each fetch dials and logs in.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"sort"
	"strings"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type mailConn struct {
	conn  net.Conn
	reply *bufio.Reader
	used  time.Time
}

type pool struct {
	mu   sync.Mutex
	idle []*mailConn
	addr string
}

// login has two questions, each of which the server answers after 5 ms.
func login(c *mailConn) error {
	for _, line := range []string{"user mary", "pass ****"} {
		if _, err := fmt.Fprintln(c.conn, line); err != nil {
			return err
		}
		if _, err := c.reply.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}

func (p *pool) dial() (*mailConn, error) {
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		return nil, err
	}
	c := &mailConn{conn: conn, reply: bufio.NewReader(conn)}
	return c, login(c)
}

func (p *pool) get() (*mailConn, error) {
	p.mu.Lock()
	for n := len(p.idle); n > 0; n = len(p.idle) {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if time.Since(c.used) < 5*time.Millisecond {
			p.mu.Unlock()
			return c, nil
		}
		c.conn.Close()
	}
	p.mu.Unlock()
	return p.dial()
}

func (p *pool) put(c *mailConn) {
	c.used = time.Now()
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

type mailbox struct{ pool *pool }

func (m *mailbox) fetchMail(number int) (string, error) {
	c, err := m.pool.get()
	if err != nil {
		return "", err
	}
	defer m.pool.put(c)
	fmt.Fprintf(c.conn, "fetch %d\n", number)
	return c.reply.ReadString('\n')
}

func (m *mailbox) handleFetch(user, n int) {
	if _, err := m.fetchMail(n); err != nil {
		log.Fatal(err)
	}
}

// serveMail is the server's side of one connection.
func serveMail(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "fetch") {
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Fprintln(conn, "+ok")
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
			go serveMail(conn)
		}
	}()
	m := &mailbox{pool: &pool{addr: l.Addr().String()}}
	drive(3, 20*time.Millisecond, m.handleFetch)
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
