// SPDX-License-Identifier: Apache-2.0

// path_dial: each call makes a TLS connection of its own, to a server that waits 5 ms before its part of the handshake: the call
// is the dialling. EXPLAIN marks the line.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"time"
)

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		check(err)
		go func() {
			time.Sleep(5 * time.Millisecond)
			c.(*tls.Conn).Handshake()
			c.Close()
		}()
	}
}

func call(address string) {
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // EXPLAIN dialling a connection
	check(err)
	c.Close()
}

func sick() {
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate()}})
	check(err)
	go serve(l)
	go func() {
		for {
			go call(l.Addr().String())
			time.Sleep(10 * time.Millisecond)
		}
	}()
}
