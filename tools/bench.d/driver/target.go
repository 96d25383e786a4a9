// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// slice is a piece of work: how many operations, and what they cost, in ns.
type slice struct {
	ops, cpu, wall float64
	client         float64 // CPU of the load generator
	idle           float64 // time of CPUs that nobody used
}

func (s slice) cpuPerOp() float64 { return s.cpu / s.ops }

// target is a process that is traced while it works.
type target interface {
	pid() int
	work(length time.Duration) (slice, error)
	// ownTrace switches the runtime's own tracer; false where the program has none.
	ownTrace(path string) bool
	endOwnTrace()
	stop()
}

// --- our own program ---

type worker struct{ *child }

func startWorker(b *bench, name string, procs int) (*worker, error) {
	env := []string{fmt.Sprint("GOMAXPROCS=", procs)}
	if name == "alloc" {
		env = append(env, "GOGC=400")
	}
	c, err := startChild(env, b.tool("work"), name)
	if err != nil {
		return nil, err
	}
	return &worker{c}, c.expect("ready")
}

func (w *worker) pid() int { return w.cmd.Process.Pid }

func (w *worker) workAt(length time.Duration, rate int) (slice, error) {
	var s slice
	line, err := w.ask("run %d %d", length.Milliseconds(), rate)
	if err != nil {
		return s, err
	}
	_, err = fmt.Sscan(line, &s.ops, &s.cpu, &s.wall)
	return s, err
}

func (w *worker) work(length time.Duration) (slice, error) { return w.workAt(length, 0) }

func (w *worker) ownTrace(path string) bool {
	line, err := w.ask("trace %s", path)
	return err == nil && line == "ok"
}

func (w *worker) endOwnTrace() { w.ask("untrace") }
func (w *worker) stop()        { w.finish() }

// --- a real server under wrk ---

type server struct {
	*child
	url string
}

// base is the address without a path.
func (s *server) base() string {
	u, _ := url.Parse(s.url)
	return u.Scheme + "://" + u.Host
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func startServer(b *bench, caddy string) (*server, error) {
	return serve(b, "/", func(address string) []string {
		return []string{caddy, "respond", "--listen", address, "hello"}
	})
}

func startPrometheus(b *bench, prometheus string) (*server, error) {
	return startPrometheusWith(b, prometheus, "global: {scrape_interval: 1s}\n")
}

func startPrometheusWith(b *bench, prometheus, settings string) (*server, error) {
	config := filepath.Join(b.scratch, "prometheus.yml")
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		return nil, err
	}
	return serve(b, "/api/v1/query?query=1", func(address string) []string {
		return []string{prometheus, "--config.file=" + config, "--web.listen-address=" + address,
			"--storage.tsdb.path=" + filepath.Join(b.scratch, "tsdb")}
	})
}

// serve runs a program that listens at an address of this machine; path is what wrk asks for.
func serve(b *bench, path string, command func(address string) []string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(b.scratch, "home")
	address := fmt.Sprint("127.0.0.1:", port)
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home}
	args := command(address)
	c, err := startChild(env, args[0], args[1:]...)
	if err != nil {
		return nil, err
	}
	go func() {
		for c.out.Scan() {
		}
	}()
	return &server{c, "http://" + address + path}, waitFor(filepath.Base(args[0]), func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// served is our own program as a server, which can trace itself.
type served struct {
	*worker
	url    string
	script string // of wrk; "" for none
}

func startServed(b *bench, work, scheme, script string) (*served, error) {
	w, err := startWorker(b, work, runtime.NumCPU())
	if err != nil {
		return nil, err
	}
	address, err := w.ask("address")
	return &served{w, scheme + "://" + address + "/", script}, err
}

func (s *served) work(length time.Duration) (slice, error) {
	return load(s.pid(), s.url, s.script, length)
}

func (s *server) work(length time.Duration) (slice, error) { return load(s.pid(), s.url, "", length) }

var wrkTotal, wrkRefused = regexp.MustCompile(`(\d+) requests in`), regexp.MustCompile(`Non-2xx or 3xx responses: \d+`)

// catchesInterrupt: from then on wrk ends with its counts.
func catchesInterrupt(pid int) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, caught, _ := strings.Cut(string(status), "SigCgt:")
	var mask uint64
	fmt.Sscanf(caught, "%x", &mask)
	return mask>>(syscall.SIGINT-1)&1 == 1
}

// load has wrk ask a server for something all the time; once more, for longer, if no answer came, as on a machine with
// much other work.
func load(pid int, url, script string, length time.Duration) (s slice, err error) {
	for range 8 {
		if s, err = loadOnce(pid, url, script, length); err != nil || s.ops > 0 {
			return s, err
		}
		length *= 2
	}
	return s, fmt.Errorf("%s gives no answer in %v", url, length)
}

func loadOnce(pid int, url, script string, length time.Duration) (s slice, err error) {
	var out bytes.Buffer
	args := []string{"-t1", "-c16", "-d1h", url}
	if script != "" {
		args = append([]string{"-s", script}, args...)
	}
	cmd := exec.Command("wrk", args...)
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	cpu, idle, start := processCPU(pid), idleTime(), time.Now()
	if err = cmd.Start(); err != nil {
		return s, fmt.Errorf("wrk: %w", err)
	}
	err = waitFor("wrk at work", func() bool { return catchesInterrupt(cmd.Process.Pid) })
	time.Sleep(length)
	cmd.Process.Signal(os.Interrupt)
	err = errors.Join(err, cmd.Wait())
	s = slice{cpu: processCPU(pid) - cpu, idle: idleTime() - idle, wall: float64(time.Since(start))}
	m := wrkTotal.FindSubmatch(out.Bytes())
	if err != nil || m == nil || wrkRefused.Match(out.Bytes()) {
		return s, fmt.Errorf("wrk: %v: %s", err, out.String())
	}
	s.ops, _ = strconv.ParseFloat(string(m[1]), 64)
	s.client = float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	return s, nil
}

func (s *server) ownTrace(string) bool { return false }
func (s *server) endOwnTrace()         {}

func (s *server) stop() {
	s.cmd.Process.Signal(os.Interrupt)
	s.cmd.Wait()
}
