package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"cloud.google.com/go/storage"
)

const (
	objects     = 100
	objectBytes = 100_000
	chunkBytes  = 16 << 20
	mebibyte    = 1 << 20
)

// objectStore is Cloud Storage through Google's client.
type objectStore struct{ bucket *storage.BucketHandle }

func newStorage(address string) (server, error) {
	os.Setenv("STORAGE_EMULATOR_HOST", address)
	ctx := context.Background()
	client, err := storage.NewClient(ctx, storage.WithJSONReads())
	if err != nil {
		return nil, err
	}
	bucket := client.Bucket("bench-bucket")
	return &objectStore{bucket}, bucket.Create(ctx, app, nil)
}

func name(client int, number int64) string {
	return fmt.Sprintf("object-%d", (number*31+int64(client)*17)%objects)
}

func (s *objectStore) prepare(operationName string, clients int) (operation, error) {
	content := make([]byte, objectBytes)
	rand.Read(content)
	switch operationName {
	case "blob-put":
		return func(client int, number int64) error { return s.put(name(client, number*int64(clients)), content) }, nil
	case "blob-get":
		for k := int64(0); k < objects; k++ {
			if err := s.put(name(0, k), content); err != nil {
				return nil, err
			}
		}
		return func(client int, number int64) error { return s.get(name(client, number), objectBytes) }, nil
	}
	return nil, unknown(operationName)
}

// put sends an object in one request.
func (s *objectStore) put(name string, content []byte) error {
	writer := s.bucket.Object(name).NewWriter(context.Background())
	writer.ChunkSize = 0
	if _, err := writer.Write(content); err != nil {
		return err
	}
	return writer.Close()
}

func (s *objectStore) get(name string, expected int64) error {
	reader, err := s.bucket.Object(name).NewReader(context.Background())
	if err != nil {
		return err
	}
	defer reader.Close()
	read, err := io.Copy(io.Discard, reader)
	if err == nil && read != expected {
		err = fmt.Errorf("%s has %d bytes, not %d", name, read, expected)
	}
	return err
}

// once writes an object of the given size in mebibytes in parts, or reads the one that was written.
func (s *objectStore) once(operationName string, mebibytes int) (float64, time.Duration, error) {
	began := time.Now()
	var err error
	switch operationName {
	case "blob-put-large":
		err = s.putLarge(mebibytes)
	case "blob-get-large":
		err = s.get("large", int64(mebibytes)*mebibyte)
	default:
		err = unknown(operationName)
	}
	return float64(mebibytes), time.Since(began), err
}

func (s *objectStore) putLarge(mebibytes int) error {
	writer := s.bucket.Object("large").NewWriter(context.Background())
	writer.ChunkSize = chunkBytes
	part := make([]byte, mebibyte)
	rand.Read(part)
	for range mebibytes {
		if _, err := writer.Write(part); err != nil {
			return err
		}
	}
	return writer.Close()
}
