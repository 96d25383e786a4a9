// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// child is a process of ours that talks by lines.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	// What it says on stderr; to be read when it has ended.
	errors bytes.Buffer
}

func startChild(env []string, name string, args ...string) (*child, error) {
	c := &child{cmd: exec.Command(name, args...)}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stderr = &c.errors
	// None of them outlives the bench.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewScanner(out)
	return c, c.cmd.Start()
}

// expect reads one line, which must be the given one.
func (c *child) expect(want string) error {
	if !c.out.Scan() {
		c.cmd.Wait()
		return fmt.Errorf("%s ended: %s", c.cmd.Path, c.errors.String())
	}
	if c.out.Text() != want {
		return fmt.Errorf("%s said %q", c.cmd.Path, c.out.Text())
	}
	return nil
}

func (c *child) ask(format string, args ...any) (string, error) {
	fmt.Fprintf(c.in, format+"\n", args...)
	if !c.out.Scan() {
		return "", fmt.Errorf("%s ended", c.cmd.Path)
	}
	return c.out.Text(), nil
}

// finish closes its stdin, which ends it, and gives what else it said.
func (c *child) finish() string {
	var rest []string
	c.in.Close()
	for c.out.Scan() {
		rest = append(rest, c.out.Text())
	}
	c.cmd.Wait()
	return strings.Join(rest, "\n")
}

func (c *child) kill() {
	c.cmd.Process.Kill()
	c.finish()
}

// processCPU is the CPU time of a process and all its threads (clock_getcpuclockid(3)).
func processCPU(pid int) float64 {
	var t syscall.Timespec
	clock := uintptr(^pid<<3 | 2)
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return float64(t.Nano())
}

// idleTime is the time of all CPUs in which nothing ran, ns; the kernel tells it in ticks of 10 ms.
func idleTime() float64 {
	const tick = 1e7
	var user, nice, system, idle, iowait float64
	text, _ := os.ReadFile("/proc/stat")
	fmt.Sscanf(string(text), "cpu %f %f %f %f %f", &user, &nice, &system, &idle, &iowait)
	return (idle + iowait) * tick
}

const clockMonotonic = 1

func monotonic() int64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

// waitFor asks every millisecond, a minute long: on a machine with much other work a recording begins late.
func waitFor(what string, done func() bool) error {
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("waited in vain: %s", what)
		}
	}
	return nil
}
