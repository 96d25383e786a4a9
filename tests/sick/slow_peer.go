// SPDX-License-Identifier: Apache-2.0

// slow_peer: requests to another process, which needs 20 ms for each.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

var (
	peer    = flag.Bool("peer", false, "be the other process, until standard input ends")
	address string
	other   *exec.Cmd
)

func fetch() {
	resp, err := http.Get("http://" + address) // BLAME
	check(err)
	_, err = io.Copy(io.Discard, resp.Body)
	check(err)
	resp.Body.Close()
}

func serve() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		io.WriteString(w, "answer\n")
	}))
	fmt.Println(ln.Addr())
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func startPeer() {
	other = exec.Command(os.Args[0], "-peer")
	_, err := other.StdinPipe()
	check(err)
	out, err := other.StdoutPipe()
	check(err)
	check(other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	check(err)
	address = strings.TrimSpace(line)
}

func sick() {
	if *peer {
		serve()
	}
	startPeer()
	for i := 0; i < 4; i++ {
		go func() {
			for {
				fetch()
				time.Sleep(time.Millisecond)
			}
		}()
	}
}
