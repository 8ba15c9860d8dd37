package objects

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"hash/crc32"
	"net/http"
	"testing"

	"cloud.google.com/go/storage"
)

func TestUploadsInOneRequestAndInChunks(t *testing.T) {
	f := open(t)
	large := someBytes(3*mib + 12345)
	for name, chunkBytes := range map[string]int{"multipart": 0, "chunks": chunk, "one chunk": 16 * mib} {
		object := f.bucket.Object(name)
		writer := object.NewWriter(f.ctx)
		writer.ChunkSize = chunkBytes
		sent := int64(0)
		writer.ProgressFunc = func(bytes int64) { sent = bytes }
		attributes, err := write(writer, large)
		check(t, err)
		equal(t, name+": size", attributes.Size, int64(len(large)))
		equal(t, name+": content", bytes.Equal(f.read(object, 0, -1), large), true)
		if chunkBytes == chunk {
			equal(t, "bytes of all chunks", sent, int64(len(large)))
		}
	}
	exact := f.bucket.Object("exact")
	writer := exact.NewWriter(f.ctx)
	writer.ChunkSize = chunk
	_, err := write(writer, large[:2*chunk])
	check(t, err)
	equal(t, "two full chunks", bytes.Equal(f.read(exact, 0, -1), large[:2*chunk]), true)
	empty := f.bucket.Object("empty")
	_, err = write(empty.NewWriter(f.ctx), nil)
	check(t, err)
	equal(t, "empty", f.text(empty), "")
}

func TestAnAbandonedUploadLeavesNothing(t *testing.T) {
	f := open(t)
	ctx, cancel := context.WithCancel(f.ctx)
	object := f.bucket.Object("a")
	writer := object.NewWriter(ctx)
	writer.ChunkSize = chunk
	_, err := writer.Write(someBytes(3 * chunk))
	check(t, err)
	cancel()
	if err := writer.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := object.Attrs(f.ctx); !errors.Is(err, storage.ErrObjectNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAWrongChecksumIsRefused(t *testing.T) {
	f := open(t)
	for name, chunkBytes := range map[string]int{"multipart": 0, "chunks": chunk} {
		writer := f.bucket.Object(name).NewWriter(f.ctx)
		writer.ChunkSize = chunkBytes
		writer.CRC32C = crc32.Checksum([]byte("other"), crc32.MakeTable(crc32.Castagnoli))
		writer.SendCRC32C = true
		_, err := write(writer, []byte("text"))
		refused(t, name, err, http.StatusBadRequest)
	}
	sameList(t, "objects", f.names(nil))
}

// The client reads by the XML API unless it is created WithJSONReads.
func TestRanges(t *testing.T) {
	f := open(t)
	inJson, err := storage.NewClient(f.ctx, storage.WithJSONReads())
	check(t, err)
	defer inJson.Close()
	f.put(f.bucket.Object("a b"), "0123456789")
	for api, client := range map[string]*storage.Client{"xml": f.Client, "json": inJson} {
		object := client.Bucket(f.bucket.BucketName()).Object("a b")
		equal(t, api+": all", f.text(object), "0123456789")
		equal(t, api+": middle", string(f.read(object, 2, 3)), "234")
		equal(t, api+": rest", string(f.read(object, 7, -1)), "789")
		equal(t, api+": end", string(f.read(object, -3, -1)), "789")
		_, err := object.NewRangeReader(f.ctx, 10, 5)
		refused(t, api+": beyond the end", err, http.StatusRequestedRangeNotSatisfiable)
		reader, err := object.NewRangeReader(f.ctx, 4, 2)
		check(t, err)
		reader.Close()
		equal(t, api+": size", reader.Attrs.Size, 10)
		equal(t, api+": start", reader.Attrs.StartOffset, 4)
		if reader.Attrs.Generation == 0 || reader.Attrs.LastModified.IsZero() {
			t.Errorf("%s: %+v", api, reader.Attrs)
		}
	}
}

func TestCompressedObjects(t *testing.T) {
	f := open(t)
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	packer.Write([]byte("text"))
	packer.Close()
	object := f.bucket.Object("packed")
	writer := object.NewWriter(f.ctx)
	writer.ContentEncoding = "gzip"
	writer.ContentType = "text/plain"
	_, err := write(writer, packed.Bytes())
	check(t, err)
	equal(t, "as stored", bytes.Equal(f.read(object.ReadCompressed(true), 0, -1), packed.Bytes()), true)
	equal(t, "decompressed", f.text(object), "text")
}
