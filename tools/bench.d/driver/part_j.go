// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Part j: what a recording costs that is always on: a server at half load, with and without a flight recording in turns.

// asked is what clients ask a server for, and how.
type asked struct {
	url     string
	client  *http.Client
	clients int
}

func newAsked(url string) *asked {
	const clients = 4
	return &asked{url, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 30 * time.Second}, clients}
}

func (a *asked) once() error {
	r, err := a.client.Get(a.url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if _, err = io.Copy(io.Discard, r.Body); err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", a.url, r.Status)
	}
	return err
}

// each has the clients call next, until it says that there is no more to ask, and gives the number of answers.
func (a *asked) each(next func() bool) (float64, error) {
	var n atomic.Int64
	errs := make(chan error)
	for range a.clients {
		go func() {
			for next() {
				if err := a.once(); err != nil {
					errs <- err
					return
				}
				n.Add(1)
			}
			errs <- nil
		}()
	}
	var first error
	for range a.clients {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return float64(n.Load()), first
}

// most is the rate at which the server answers when it is asked all the time.
func (a *asked) most(length time.Duration) (float64, error) {
	start := time.Now()
	n, err := a.each(func() bool { return time.Since(start) < length })
	return n / time.Since(start).Seconds(), err
}

// atRate asks at times that do not depend on the answers.
func (a *asked) atRate(rate float64, length time.Duration) (float64, error) {
	var number atomic.Int64
	start := time.Now()
	return a.each(func() bool {
		at := time.Duration(float64(number.Add(1)) / rate * 1e9)
		if at > length {
			return false
		}
		time.Sleep(at - time.Since(start))
		return true
	})
}

// price of one turn: the server's CPU time of an answer in us, gotap's as a part of the server's, and the part of the time
// that was recorded.
type price struct{ answer, own, recorded float64 }

// turn: args nil where nothing records.
func turn(b *bench, s *server, a *asked, rate float64, args []string, length time.Duration) (c price, err error) {
	var f running = helper(func() (recording, error) { return recording{Seconds: 1}, nil })
	if args != nil {
		if f, err = startInline(b, s.pid(), filepath.Join(b.scratch, "always-%n.trace"), args...); err != nil {
			return
		}
	}
	cpu, own := processCPU(s.pid()), f.cpu()
	n, err := a.atRate(rate, length)
	cpu, own = processCPU(s.pid())-cpu, f.cpu()-own
	rec, failed := f.stop()
	if err == nil {
		err = failed
	}
	if err == nil && rec.Lost > 0 {
		err = fmt.Errorf("%.0f records were lost", rec.Lost)
	}
	return price{cpu / n / 1000, own / cpu, 1 - rec.Unrecorded/rec.Seconds}, err
}

// mean and its standard error.
func (v values) mean() (mean, se float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / float64(len(v)-1) / float64(len(v)))
}

// pairs has turns with and without a recording, each pair in the other order than the one before, so that nothing that grows or
// shrinks with time counts.
func pairs(b *bench, s *server, a *asked, rate float64, args []string, each time.Duration) (off, on []price, err error) {
	for start := time.Now(); len(on) < 2 || time.Since(start) < b.always; {
		var pair [2]price
		for i := range 2 {
			kind := (i + len(on)) % 2
			if pair[kind], err = turn(b, s, a, rate, [][]string{nil, args}[kind], each); err != nil {
				return
			}
		}
		off, on = append(off, pair[0]), append(on, pair[1])
	}
	return
}

func of(costs []price, what func(c price) float64) (v values) {
	for _, c := range costs {
		v = append(v, what(c))
	}
	return v
}

func answer(c price) float64 { return c.answer }

// alwaysRow adds a row to the table of all numbers, and its short form to that which a user sees first.
func (b *bench) alwaysRow(t, short *table, name string, s *server, url string, args ...string) error {
	each := max(time.Second, b.always/60)
	a := newAsked(url)
	most, err := a.most(each)
	if err != nil {
		return err
	}
	off, on, err := pairs(b, s, a, most/2, append([]string{"--flight", "10s"}, args...), each)
	if err != nil {
		return err
	}
	ratio, se := of(on, answer).over(of(off, answer)).mean()
	recorded, _ := of(on, func(c price) float64 { return c.recorded }).mean()
	own, _ := of(on, func(c price) float64 { return c.own }).mean()
	t.add(name, fmt.Sprintf("%.0f", most/2), of(off, answer).text("%.1f"), fmt.Sprint(len(on)),
		fmt.Sprintf("%+.2f %% (%.2f)", (ratio-1)*100, se*100), fmt.Sprintf("%.0f %%", recorded*100), fmt.Sprintf("%.0f %%", own*100))
	short.add(name, fmt.Sprintf("%.0f us", of(off, answer).median()), fmt.Sprintf("%+.1f %%", (ratio-1)*100), fmt.Sprintf("%.0f %%", own*100),
		fmt.Sprintf("%.0f %%", recorded*100))
	return nil
}

// numbers gives counters to a scraper until it is closed.
func numbers() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	start := time.Now()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 400 {
			fmt.Fprintf(w, "bench_total{group=\"%d\",number=\"%d\"} %d\n", i%20, i, time.Since(start).Milliseconds()*int64(i))
		}
	}))
	return l, nil
}

// filled is a Prometheus with ten seconds of data, to which nothing is added any more; and a query over all of it.
func filled(b *bench) (*server, string, error) {
	data, err := numbers()
	if err != nil {
		return nil, "", err
	}
	defer data.Close()
	config := "global: {scrape_interval: 1s}\nscrape_configs: [{job_name: bench, static_configs: [{targets: ['" + data.Addr().String() + "']}]}]\n"
	s, err := startPrometheusWith(b, b.large, config)
	if err != nil {
		return nil, "", err
	}
	time.Sleep(12 * time.Second)
	end := time.Now().Unix()
	query := url.Values{"query": {"sum by (group) (rate(bench_total[5s]))"}, "start": {fmt.Sprint(end - 10)}, "end": {fmt.Sprint(end)}, "step": {"1"}}
	return s, "/api/v1/query_range?" + query.Encode(), nil
}

func partAlways(b *bench) error {
	t := &table{
		name:  "j1",
		title: "A server at half the rate that it can answer at, with `gotap record --flight 10s --attach inline` and without, in turns:",
		head: []string{"server", "answers/s", "CPU us of one", "pairs of turns", "more with it (standard error)", "of the time recorded",
			"gotap's own CPU, of the server's"},
		footer: "CPU time of the server by its answers. prometheus sums up the rates of 400 series over ten seconds, caddy says hello; both are " +
			"Debian's, stripped. `--always TIME` says how long a row takes.",
	}
	short := &table{
		name:  "always",
		title: "A server at half load with `gotap record --flight 10s --attach inline`, which is always on:",
		head:  []string{"server", "CPU of an answer", "more with it", "CPU of gotap, of the server's", "of the time recorded"},
	}
	if b.large != "" {
		s, path, err := filled(b)
		if err == nil {
			err = b.alwaysRow(t, short, "prometheus", s, s.base()+path)
			s.stop()
		}
		if err != nil {
			return err
		}
	}
	if b.caddy != "" {
		s, err := startServer(b, b.caddy)
		if err == nil {
			err = b.alwaysRow(t, short, "caddy", s, s.url)
		}
		if err == nil {
			err = b.alwaysRow(t, short, "caddy, `--budget 1`", s, s.url, "--budget", "1")
		}
		if err != nil {
			return err
		}
		s.stop()
	}
	b.show(t)
	b.show(short)
	return nil
}
