// Package objects holds tests of the official Go client of Cloud Storage against a running server.
package objects

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
)

const (
	project = "petrichor-clients"
	longest = time.Minute
	mib     = 1 << 20
	chunk   = 256 << 10
)

// fixture is a client with a bucket that no other test uses; the bucket is removed afterwards.
type fixture struct {
	*storage.Client
	t      *testing.T
	ctx    context.Context
	bucket *storage.BucketHandle
}

func open(t *testing.T) *fixture { return openWith(t, &storage.BucketAttrs{}) }

func openWith(t *testing.T, attributes *storage.BucketAttrs) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	f := &fixture{client(t, ctx), t, ctx, nil}
	t.Cleanup(func() { f.Close(); cancel() })
	f.bucket = f.newBucket(attributes)
	return f
}

// client finds the server by STORAGE_EMULATOR_HOST.
func client(t *testing.T, ctx context.Context) *storage.Client {
	t.Helper()
	if os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		t.Fatal("set STORAGE_EMULATOR_HOST=http://HOST:PORT, or start these tests with clients/run")
	}
	client, err := storage.NewClient(ctx)
	check(t, err)
	return client
}

func (f *fixture) newBucket(attributes *storage.BucketAttrs) *storage.BucketHandle {
	f.t.Helper()
	bucket := f.Bucket("b-" + unused())
	check(f.t, bucket.Create(f.ctx, project, attributes))
	f.t.Cleanup(func() {
		for _, object := range f.list(bucket, &storage.Query{Versions: true}) {
			check(f.t, bucket.Object(object.Name).Generation(object.Generation).Delete(f.ctx))
		}
		check(f.t, bucket.Delete(f.ctx))
	})
	return bucket
}

func unused() string {
	random := make([]byte, 10)
	rand.Read(random)
	return hex.EncodeToString(random)
}

func someBytes(n int) []byte {
	random := make([]byte, n)
	rand.Read(random)
	return random
}

// put uploads a text in one request.
func (f *fixture) put(object *storage.ObjectHandle, text string) *storage.ObjectAttrs {
	f.t.Helper()
	writer := object.NewWriter(f.ctx)
	writer.ChunkSize = 0
	attributes, err := write(writer, []byte(text))
	check(f.t, err)
	return attributes
}

func write(writer *storage.Writer, content []byte) (*storage.ObjectAttrs, error) {
	if _, err := io.Copy(writer, bytes.NewReader(content)); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return writer.Attrs(), nil
}

func (f *fixture) text(object *storage.ObjectHandle) string {
	f.t.Helper()
	return string(f.read(object, 0, -1))
}

func (f *fixture) read(object *storage.ObjectHandle, offset, length int64) []byte {
	f.t.Helper()
	reader, err := object.NewRangeReader(f.ctx, offset, length)
	check(f.t, err)
	defer reader.Close()
	content, err := io.ReadAll(reader)
	check(f.t, err)
	return content
}

func (f *fixture) list(bucket *storage.BucketHandle, query *storage.Query) []*storage.ObjectAttrs {
	f.t.Helper()
	listed := []*storage.ObjectAttrs{}
	for found := bucket.Objects(f.ctx, query); ; {
		object, err := found.Next()
		if err == iterator.Done {
			return listed
		}
		check(f.t, err)
		listed = append(listed, object)
	}
}

// names returns the names of objects and, in their place, the prefixes that a delimiter makes.
func (f *fixture) names(query *storage.Query) []string {
	f.t.Helper()
	names := []string{}
	for _, object := range f.list(f.bucket, query) {
		names = append(names, object.Name+object.Prefix)
	}
	return names
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

func refused(t *testing.T, what string, err error, status int) {
	t.Helper()
	var failure *googleapi.Error
	if !errors.As(err, &failure) || failure.Code != status {
		t.Errorf("%s: got %v, want status %d", what, err, status)
	}
}
