package main

import (
	"fmt"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

// memcached is the cache without App Engine's API, through the client that Go programs use.
type memcached struct{ client *memcache.Client }

func newMemcached(address string) (server, error) {
	client := memcache.New(address)
	client.MaxIdleConns = 64
	return &memcached{client}, nil
}

func (m *memcached) prepare(name string, clients int) (operation, error) {
	switch name {
	case "cache-get":
		for k := int64(0); k < cacheKeys; k++ {
			if err := m.client.Set(&memcache.Item{Key: key(0, k), Value: value}); err != nil {
				return nil, err
			}
		}
		return func(client int, number int64) error {
			_, err := m.client.Get(key(client, number))
			return err
		}, nil
	case "cache-set":
		return func(client int, number int64) error {
			return m.client.Set(&memcache.Item{Key: key(client, number), Value: value})
		}, nil
	case "cache-increment":
		for client := range clients {
			if err := m.client.Set(&memcache.Item{Key: counter(client), Value: []byte("0")}); err != nil {
				return nil, err
			}
		}
		return func(client int, _ int64) error {
			_, err := m.client.Increment(counter(client), 1)
			return err
		}, nil
	}
	return nil, unknown(name)
}

func counter(client int) string { return fmt.Sprintf("counter-%d", client) }

func (m *memcached) once(name string, _ int) (float64, time.Duration, error) {
	return 0, 0, unknown(name)
}
