// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// caddy with its admin endpoint, which gives the runtime's own trace over HTTP as long as somebody reads it.
type caddy struct {
	*server
	admin string
	end   func() // of the trace that is being read
}

const caddyConfig = `{"admin": {"listen": %q, "config": {"persist": false}}, "logging": {"logs": {"default": {"level": "ERROR"}}},
"apps": {"http": {"servers": {"bench": {"listen": [%q], "automatic_https": {"disable": true},
"routes": [{"handle": [{"handler": "static_response", "body": "hello\n"}]}]}}}}}`

func startCaddy(b *bench) (target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	admin, config := fmt.Sprint("127.0.0.1:", port), filepath.Join(b.scratch, "caddy.json")
	var written error
	s, err := serve(b, "/", func(address string) []string {
		written = os.WriteFile(config, []byte(fmt.Sprintf(caddyConfig, admin, address)), 0o600)
		return []string{b.caddy, "run", "--config", config}
	})
	if err == nil {
		err = written
	}
	return &caddy{server: s, admin: "http://" + admin}, err
}

// getTrace reads a trace of the given length; false where there is none, as while another one is read.
func (c *caddy) getTrace(ctx context.Context, seconds float64, to io.Writer) bool {
	request, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprint(c.admin, "/debug/pprof/trace?seconds=", seconds), nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(to, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}

// isTraced asks for a trace of no length, which is refused while there is another one.
func (c *caddy) isTraced() bool { return !c.getTrace(context.Background(), 1e-6, io.Discard) }

// ownTrace: it takes another attempt if the question whether there is a trace came first.
func (c *caddy) ownTrace(path string) bool {
	for range 5 {
		file, err := os.Create(path)
		if err != nil {
			return false
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			c.getTrace(ctx, 3600, file)
			file.Close()
			close(done)
		}()
		c.end = func() {
			cancel()
			<-done
			waitFor("the end of caddy's trace", func() bool { return !c.isTraced() })
		}
		time.Sleep(50 * time.Millisecond)
		if c.isTraced() {
			return true
		}
		c.end()
	}
	return false
}

func (c *caddy) endOwnTrace() { c.end() }
