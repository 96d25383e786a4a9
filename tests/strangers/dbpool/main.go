// SPDX-License-Identifier: Apache-2.0

// An order service that reads carts from a database; its pool has two connections for sixteen clients.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
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

type cartDriver struct{}

func (cartDriver) Open(name string) (driver.Conn, error) {
	time.Sleep(2 * time.Millisecond)
	return cartConn{}, nil
}

type cartConn struct{}

func (cartConn) Prepare(query string) (driver.Stmt, error) { return nil, errors.New("not prepared") }
func (cartConn) Begin() (driver.Tx, error)                 { return nil, errors.New("no transactions") }
func (cartConn) Close() error                              { return nil }

func (cartConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	time.Sleep(4 * time.Millisecond)
	return &cartRows{left: 3}, nil
}

type cartRows struct{ left int }

func (r *cartRows) Columns() []string { return []string{"article", "pieces"} }
func (r *cartRows) Close() error      { return nil }

func (r *cartRows) Next(row []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	row[0], row[1] = int64(1000+r.left), int64(2)
	return nil
}

type shop struct{ db *sql.DB }

func openShop() *shop {
	sql.Register("carts", cartDriver{})
	db, err := sql.Open("carts", "shop")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	return &shop{db: db}
}

func (s *shop) loadCart(ctx context.Context, user int) (pieces int, err error) {
	rows, err := s.db.QueryContext(ctx, "select article, pieces from carts where user = ?", user)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var article, n int
		if err := rows.Scan(&article, &n); err != nil {
			return 0, err
		}
		pieces += n
	}
	return pieces, rows.Err()
}

func (s *shop) handleOrder(w http.ResponseWriter, r *http.Request) {
	user, _ := strconv.Atoi(r.FormValue("n"))
	pieces, err := s.loadCart(r.Context(), user)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "%d pieces\n", pieces)
}

func main() {
	flag.Parse()
	if *loadURL != "" {
		beClients()
		return
	}
	http.HandleFunc("/order", openShop().handleOrder)
	startClients(listen(nil)+"/order", 16, 0)
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
