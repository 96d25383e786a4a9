// SPDX-License-Identifier: Apache-2.0

// A poller asks an exchange for its rates over TLS, and keeps no connection: each question begins with a handshake.
// The exchange is a process of its own.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"sync"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

var exchange = flag.Bool("exchange", false, "be the exchange: print an address, then serve it")

// serveExchange prints its address and its certificate, and answers until its time is over.
func serveExchange() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "1.0827\n")
	}))
	fmt.Printf("%s %s\n", server.URL, hex.EncodeToString(server.Certificate().Raw))
	time.Sleep(*runFor + time.Second)
}

// startExchange starts this program as the exchange.
func startExchange() (url string, roots *x509.CertPool) {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command(self, "-t", runFor.String(), "-exchange")
	output, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	var certificate string
	if _, err := fmt.Fscanln(output, &url, &certificate); err != nil {
		log.Fatal(err)
	}
	raw, _ := hex.DecodeString(certificate)
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		log.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(cert)
	return url, roots
}

type poller struct {
	client *http.Client
	url    string
	mu     sync.Mutex
	rates  map[int]string
}

func (p *poller) fetchRate(currency int) (string, error) {
	reply, err := p.client.Get(p.url + "/rate?currency=" + strconv.Itoa(currency))
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	return string(body), err
}

func (p *poller) pollRate(user, n int) {
	rate, err := p.fetchRate(n % 30)
	if err != nil {
		log.Fatal(err)
	}
	p.mu.Lock()
	p.rates[n%30] = rate
	p.mu.Unlock()
}

func main() {
	flag.Parse()
	if *exchange {
		serveExchange()
		return
	}
	url, roots := startExchange()
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	p := &poller{client: &http.Client{Transport: transport}, url: url, rates: map[int]string{}}
	drive(4, 2*time.Millisecond, p.pollRate)
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
