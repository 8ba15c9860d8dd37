package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"regexp"
)

// Answers of App Engine's remote API, encoded by hand so that the ceiling does little else.
var (
	stored      = field(0x0a, []byte{0x08, 0x01})
	incremented = field(0x0a, []byte{0x08, 0x01})
	requested   = regexp.MustCompile("key-[0-9]+")
)

// gotten is Response { response = MemcacheGetResponse { Item { key, value } } }.
func gotten(key []byte) []byte {
	return field(0x0a, bytes.Join([][]byte{{0x0b}, field(0x12, key), field(0x1a, value), {0x0c}}, nil))
}

// field encodes a field with a length of less than 16,384 bytes.
func field(tag byte, content []byte) []byte {
	length := len(content)
	if length < 0x80 {
		return append([]byte{tag, byte(length)}, content...)
	}
	return append([]byte{tag, byte(length&0x7f | 0x80), byte(length >> 7)}, content...)
}

// echo answers every call of the cache with prepared bytes: the ceiling of any server that apps reach by HTTP.
func echo(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		switch {
		case bytes.Contains(body, []byte("\x03Set")):
			w.Write(stored)
		case bytes.Contains(body, []byte("\x09Increment")):
			w.Write(incremented)
		default:
			w.Write(gotten(requested.Find(body)))
		}
	}))
}
