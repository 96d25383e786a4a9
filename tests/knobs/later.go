// SPDX-License-Identifier: Apache-2.0

// The programs of the second set. They were written when those of the first one had been looked at.
package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"time"
)

func init() {
	for name, run := range map[string]func(){
		"mails": mails, "render": render, "index": index, "accounts": accounts, "polls": polls,
		"encodes": encodes, "ships": ships, "queue": queue, "loads": loads, "gateway": gateway,
	} {
		programs[name] = run
	}
}

// --- mails: three at a time are delivered, each by a goroutine that asks another one, for -knob us ---

func deliver() { wait(*knob) }

func connection(reply chan bool) {
	deliver()
	reply <- true
}

func mail(slots chan bool, begin time.Time) {
	reply := make(chan bool)
	go connection(reply)
	<-reply
	work(150)
	<-slots
	finished(begin)
}

func mails() {
	slots := make(chan bool, 3)
	go func() {
		for {
			slots <- true
			go mail(slots, time.Now())
		}
	}()
}

// --- render: a page has three parts that are made at the same time; its header takes -knob us ---

func header() { work(*knob) }

func body(us int) { work(us) }

func renderPage() {
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { header(); wg.Done() }()
	go func() { body(250); wg.Done() }()
	go func() { body(150); wg.Done() }()
	wg.Wait()
	work(100)
}

func renders() {
	for {
		begin := time.Now()
		renderPage()
		finished(begin)
	}
}

func render() { go renders() }

// --- index: lines go through channels of 64: one reader, two that tokenize for -knob us, one writer ---

type line struct{ begin time.Time }

func tokenize() { work(*knob) }

func tokenizer(in, out chan line) {
	for l := range in {
		tokenize()
		out <- l
	}
}

func writes(in chan line) {
	for l := range in {
		work(80)
		finished(l.begin)
	}
}

func index() {
	in, out := make(chan line, 64), make(chan line, 64)
	go func() {
		for {
			work(30)
			in <- line{time.Now()}
		}
	}()
	for i := 0; i < 2; i++ {
		go tokenizer(in, out)
	}
	go writes(out)
}

// --- accounts: two accounts, five clients; a transfer has the lock of an account for -knob us ---

type account struct{ lock sync.Mutex }

func (a *account) transfer() {
	a.lock.Lock()
	defer a.lock.Unlock()
	wait(*knob)
	work(50)
}

func client(accounts []*account, n int) {
	for ; ; n++ {
		begin := time.Now()
		accounts[n%len(accounts)].transfer()
		work(100)
		finished(begin)
	}
}

func accounts() {
	all := []*account{{}, {}}
	for i := 0; i < 5; i++ {
		go client(all, i)
	}
}

// --- polls: clients ask a server over connections; it takes -knob us for an answer, and computes ---

func prepare() { wait(*knob) }

func answers(c net.Conn) {
	b := make([]byte, 16)
	for {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		prepare()
		work(300)
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)+1)
		c.Write(b)
	}
}

func poll(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	b := make([]byte, 16)
	for {
		begin := time.Now()
		c.Write(b)
		io.ReadFull(c, b)
		finished(begin)
	}
}

func polls() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answers(c)
		}
	}()
	for i := 0; i < 3; i++ {
		go poll(l.Addr().String())
	}
}

// --- encodes: replies of -knob items are encoded, stored by another goroutine, and garbage then ---

type item struct {
	Name  string
	Value []int
}

func encode(n int) []byte {
	items := make([]item, n)
	for i := range items {
		items[i] = item{strconv.Itoa(i), []int{i, i + 1, i + 2}}
	}
	b, _ := json.Marshal(items)
	return b
}

func encoder(out chan []byte) {
	for {
		begin := time.Now()
		b := encode(*knob)
		work(200)
		out <- b
		finished(begin)
	}
}

func encodes() {
	out := make(chan []byte)
	go encoder(out)
	go func() {
		for range out {
			work(50)
		}
	}()
}

// --- ships: a goroutine ships orders, -knob us each, unless none comes for 50 ms; two customers wait ---

type order struct{ shipped chan bool }

func ship() { wait(*knob) }

func shipper(orders chan order) {
	for {
		select {
		case o := <-orders:
			ship()
			work(50)
			o.shipped <- true
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func customer(orders chan order) {
	for {
		begin := time.Now()
		o := order{make(chan bool)}
		orders <- o
		<-o.shipped
		work(400)
		finished(begin)
	}
}

func ships() {
	orders := make(chan order)
	go shipper(orders)
	for i := 0; i < 2; i++ {
		go customer(orders)
	}
}

// --- queue: with a sync.Cond; two goroutines fill it, at most 10, and one consumes for -knob us ---

type ring struct {
	lock         sync.Mutex
	room, filled *sync.Cond
	n            int
}

func (r *ring) put() {
	r.lock.Lock()
	for r.n == 10 {
		r.room.Wait()
	}
	r.n++
	r.lock.Unlock()
	r.filled.Signal()
}

func (r *ring) take() {
	r.lock.Lock()
	for r.n == 0 {
		r.filled.Wait()
	}
	r.n--
	r.lock.Unlock()
	r.room.Signal()
}

func consume() { work(*knob) }

func consumer(r *ring) {
	for {
		begin := time.Now()
		r.take()
		consume()
		finished(begin)
	}
}

func filler(r *ring) {
	for {
		work(500)
		r.put()
	}
}

func queue() {
	r := &ring{}
	r.room, r.filled = sync.NewCond(&r.lock), sync.NewCond(&r.lock)
	for i := 0; i < 2; i++ {
		go filler(r)
	}
	go consumer(r)
}

// --- loads: pieces of -knob KB are read, and two goroutines compute sums of them ---

func load(f *os.File, b []byte) { f.Read(b) }

func loader(f *os.File, out chan time.Time) {
	b := make([]byte, *knob<<10)
	for {
		begin := time.Now()
		load(f, b)
		out <- begin
	}
}

func sums(in chan time.Time) {
	for begin := range in {
		work(250)
		finished(begin)
	}
}

func loads() {
	f, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	out := make(chan time.Time)
	go loader(f, out)
	for i := 0; i < 2; i++ {
		go sums(out)
	}
}

// --- gateway: a request asks two other servers at a time, of which one takes -knob us; three clients ---

func slowBackend(w http.ResponseWriter, r *http.Request) {
	wait(*knob)
	w.Write([]byte("slow"))
}

func quickBackend(w http.ResponseWriter, r *http.Request) {
	wait(4000)
	w.Write([]byte("quick"))
}

func ask(c *http.Client, url string) {
	r, err := c.Get(url)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func gateway() {
	slow := httptest.NewServer(http.HandlerFunc(slowBackend))
	quick := httptest.NewServer(http.HandlerFunc(quickBackend))
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var wg sync.WaitGroup
		wg.Add(1)
		go func() { ask(c, slow.URL); wg.Done() }()
		ask(c, quick.URL)
		wg.Wait()
		work(100)
		w.Write([]byte("both"))
	}))
	for i := 0; i < 3; i++ {
		go func() {
			own := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			for {
				begin := time.Now()
				ask(own, front.URL)
				finished(begin)
			}
		}()
	}
}
