// Package tables holds tests of Go's PostgreSQL clients against a running server.
package tables

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"slices"
	"testing"
	"time"
)

const longest = time.Minute

// url names a database that no other test uses. Databases exist as soon as they are used.
func url(t *testing.T) string {
	t.Helper()
	address := os.Getenv("PETRICHOR_TEST_SQL")
	if address == "" {
		t.Fatal("set PETRICHOR_TEST_SQL=HOST:PORT, or start these tests with clients/run")
	}
	return "postgres://gopher@" + address + "/go-" + unused() + "?sslmode=disable"
}

func unused() string {
	random := make([]byte, 8)
	rand.Read(random)
	return hex.EncodeToString(random)
}

func background(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	t.Cleanup(cancel)
	return ctx
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func sameList[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
