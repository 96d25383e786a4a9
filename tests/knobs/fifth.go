// SPDX-License-Identifier: Apache-2.0

// The programs of the fifth set. They were written when those of the others had been looked at.
package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sort"
	"sync"
	"time"
)

func init() {
	for name, run := range map[string]func(){
		"uploads": uploads, "leases": leases, "quorum": quorum, "lexer": lexer, "kv": kv,
		"reports": reports, "tables": tables, "relay": relay, "packs": packs, "jobs": jobs,
	} {
		programs[name] = run
	}
}

// --- uploads: three clients send 64 KB to an HTTP server, which makes a checksum in -knob us ---

func checksum(b []byte) { work(*knob) }

func upload(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	checksum(b)
	w.WriteHeader(http.StatusNoContent)
}

func uploads() {
	s := httptest.NewServer(http.HandlerFunc(upload))
	for i := 0; i < 3; i++ {
		go func() {
			c := &http.Client{Transport: &http.Transport{}}
			b := make([]byte, 64<<10)
			for {
				begin := time.Now()
				r, err := c.Post(s.URL, "", bytes.NewReader(b))
				if err != nil {
					panic(err)
				}
				r.Body.Close()
				wait(4000)
				finished(begin)
			}
		}()
	}
}

// --- leases: five goroutines renew a lease, which takes -knob us under a lock, and rest for 5 ms ---

type lease struct{ lock sync.Mutex }

func (l *lease) renew() {
	l.lock.Lock()
	wait(*knob)
	l.lock.Unlock()
}

func holder(l *lease) {
	for {
		begin := time.Now()
		l.renew()
		wait(5000)
		finished(begin)
	}
}

func leases() {
	l := &lease{}
	for i := 0; i < 5; i++ {
		go holder(l)
	}
}

// --- quorum: a write goes to three replicas, and two must answer: after 4 ms, -knob us, 14 ms ---

func replicaB() { wait(*knob) }

func replica(n int, acks chan int) {
	switch n {
	case 0:
		wait(4000)
	case 1:
		replicaB()
	default:
		wait(14000)
	}
	acks <- n
}

func writeQuorum() {
	acks := make(chan int, 3)
	for i := 0; i < 3; i++ {
		go replica(i, acks)
	}
	<-acks
	<-acks
	work(100)
}

func writer() {
	for {
		begin := time.Now()
		writeQuorum()
		finished(begin)
	}
}

func quorum() { go writer() }

// --- lexer: a file is lexed in -knob us while another goroutine reads the next one; then both are parsed ---

func lex() { work(*knob) }

func compile() {
	ready := make(chan bool)
	go func() {
		lex()
		ready <- true
	}()
	work(400)
	<-ready
	work(200)
}

func lexer() {
	go func() {
		for {
			begin := time.Now()
			compile()
			finished(begin)
		}
	}()
}

// --- kv: four connections to a store with one lock, which a look-up has for -knob us ---

type store2 struct{ lock sync.Mutex }

func (s *store2) get() {
	s.lock.Lock()
	defer s.lock.Unlock()
	work(*knob)
}

func (s *store2) serve(c net.Conn) {
	b := make([]byte, 8)
	for {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		s.get()
		c.Write(b)
	}
}

func kv() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := &store2{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	for i := 0; i < 4; i++ {
		go func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			b := make([]byte, 8)
			for {
				begin := time.Now()
				c.Write(b)
				io.ReadFull(c, b)
				work(150)
				finished(begin)
			}
		}()
	}
}

// --- reports: a report needs three rows, one after the other, -knob us each ---

func fetchRow() { wait(*knob) }

func report() {
	for i := 0; i < 3; i++ {
		fetchRow()
		work(60)
	}
}

func reports() {
	for i := 0; i < 2; i++ {
		go func() {
			for {
				begin := time.Now()
				report()
				finished(begin)
			}
		}()
	}
}

// --- tables: rows are made, -knob of them sorted, and handed to a printer ---

func sortRows(rows []int) {
	sort.Ints(rows)
}

func tableMaker(out chan int) {
	x := uint64(1)
	for {
		begin := time.Now()
		rows := make([]int, *knob)
		for i := range rows {
			x = x*6364136223846793005 + 1442695040888963407
			rows[i] = int(x >> 33)
		}
		sortRows(rows)
		work(200)
		out <- rows[0]
		finished(begin)
	}
}

func tables() {
	out := make(chan int)
	go tableMaker(out)
	go func() {
		for range out {
			work(100)
		}
	}()
}

// --- relay: a token goes round four goroutines; one of them keeps it for -knob us ---

func slowHop() { work(*knob) }

func hop(in, out chan time.Time, do func()) {
	for t := range in {
		do()
		out <- t
	}
}

func relay() {
	a, b, c, d := make(chan time.Time), make(chan time.Time), make(chan time.Time), make(chan time.Time)
	go hop(a, b, slowHop)
	go hop(b, c, func() { work(100) })
	go hop(c, d, func() { work(100) })
	go func() {
		for begin := range d {
			work(50)
			finished(begin)
			a <- time.Now()
		}
	}()
	a <- time.Now()
}

// --- packs: two goroutines compress pieces of -knob KB with gzip, one counts the bytes ---

func pack(b []byte) int {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	z.Write(b)
	z.Close()
	return out.Len()
}

func packer(out chan int) {
	b := make([]byte, *knob<<10)
	for i := range b {
		b[i] = byte(i * i >> 3)
	}
	for {
		begin := time.Now()
		n := pack(b)
		work(100)
		out <- n
		finished(begin)
	}
}

func packs() {
	out := make(chan int)
	go packer(out)
	go packer(out)
	go func() {
		for range out {
			work(50)
		}
	}()
}

// --- jobs: a dispatcher, a channel of 32, and four workers that upload for -knob us ---

func uploadJob() { wait(*knob) }

func jobWorker(in chan time.Time) {
	for begin := range in {
		uploadJob()
		work(150)
		finished(begin)
	}
}

func jobs() {
	in := make(chan time.Time, 32)
	for i := 0; i < 4; i++ {
		go jobWorker(in)
	}
	go func() {
		for {
			work(100)
			in <- time.Now()
		}
	}()
}
