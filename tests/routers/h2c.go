// SPDX-License-Identifier: Apache-2.0

// h2c serves HTTP/2 with golang.org/x/net/http2: without TLS, by the handler of package h2c, and with TLS, by
// http2.ConfigureServer. It counts what it serves, in the outermost handler of both. Argument: how many requests of each
// kind.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

var served [4]int64

func count(i int, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		atomic.AddInt64(&served[i], 1)
		h(w, r)
	}
}

func handlers() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/plain", count(0, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	mux.HandleFunc("/status", count(1, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) }))
	mux.HandleFunc("/panic", count(2, func(w http.ResponseWriter, r *http.Request) { panic("x") }))
	mux.HandleFunc("/silent", count(3, func(w http.ResponseWriter, r *http.Request) {}))
	return mux
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	log.SetOutput(ioutil.Discard)
	clear := httptest.NewUnstartedServer(h2c.NewHandler(handlers(), &http2.Server{}))
	clear.Config.ErrorLog = log.New(ioutil.Discard, "", 0)
	clear.Start()
	secret := httptest.NewUnstartedServer(handlers())
	secret.Config.ErrorLog = log.New(ioutil.Discard, "", 0)
	http2.ConfigureServer(secret.Config, &http2.Server{})
	secret.TLS = secret.Config.TLSConfig
	secret.StartTLS()
	clients := map[string]*http.Client{
		clear.URL: {Transport: &http2.Transport{AllowHTTP: true,
			DialTLS: func(network, addr string, _ *tls.Config) (net.Conn, error) { return net.Dial(network, addr) }}},
		secret.URL: {Transport: &http2.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}},
	}
	for i := 0; i < n; i++ {
		for _, path := range []string{"/plain", "/status", "/panic", "/silent"} {
			for url, c := range clients {
				if resp, err := c.Get(url + path); err == nil {
					io.Copy(ioutil.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		}
	}
	fmt.Println(served)
}
