package app

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/blobstore"
	appimage "google.golang.org/appengine/v2/image"
)

func server() string { return "http://" + os.Getenv("API_HOST") + ":" + os.Getenv("API_PORT") }

// send sends a request to the Cloud Storage API, which must succeed.
func send(t *testing.T, method, path, contentType string, body []byte) {
	t.Helper()
	r, err := http.NewRequest(method, server()+path, bytes.NewReader(body))
	check(t, err)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s: %s: %s", method, path, response.Status, text)
	}
}

// stored stores an object in the default bucket of the app and returns its blob key.
func stored(t *testing.T, ctx context.Context, name, contentType string, content []byte) appengine.BlobKey {
	t.Helper()
	bucket := appengine.AppID(ctx) + ".appspot.com"
	send(t, "POST", "/storage/v1/b?project="+appengine.AppID(ctx), "application/json", []byte(`{"name": "`+bucket+`"}`))
	send(t, "POST", "/upload/storage/v1/b/"+bucket+"/o?uploadType=media&name="+name, contentType, content)
	key, err := blobstore.BlobKeyForFile(ctx, "/gs/"+bucket+"/"+name)
	check(t, err)
	return key
}

func TestABlobIsReadAndDeleted(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		key := stored(t, ctx, "text", "text/plain", []byte("0123456789"))
		reader := blobstore.NewReader(ctx, key)
		all, err := io.ReadAll(reader)
		check(t, err)
		equal(t, string(all), "0123456789")
		part := make([]byte, 3)
		_, err = reader.ReadAt(part, 4)
		check(t, err)
		equal(t, string(part), "456")
		check(t, blobstore.Delete(ctx, key))
		if _, err := io.ReadAll(blobstore.NewReader(ctx, key)); err == nil {
			t.Fatal("a deleted blob was read")
		}
	})
}

func TestABlobOfAnotherAppIsNotRead(t *testing.T) {
	var key appengine.BlobKey
	inApp(t, func(ctx context.Context) { key = stored(t, ctx, "secret", "text/plain", []byte("secret")) })
	inApp(t, func(ctx context.Context) {
		if _, err := io.ReadAll(blobstore.NewReader(ctx, key)); err == nil {
			t.Fatal("the blob was read")
		}
		check(t, blobstore.Delete(ctx, key))
		if _, err := appimage.ServingURL(ctx, key, nil); err == nil {
			t.Fatal("the blob is served")
		}
	})
}

func TestAnUploadURLIsLimited(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		url, err := blobstore.UploadURL(ctx, "/uploaded", &blobstore.UploadURLOptions{MaxUploadBytes: 10})
		check(t, err)
		if !strings.HasPrefix(url.Path, "/_ah/upload/") {
			t.Fatal(url)
		}
		var form bytes.Buffer
		writer := multipart.NewWriter(&form)
		file, err := writer.CreateFormFile("file", "a")
		check(t, err)
		fmt.Fprint(file, strings.Repeat("x", 1000))
		check(t, writer.Close())
		response, err := http.Post(url.String(), writer.FormDataContentType(), &form)
		check(t, err)
		response.Body.Close()
		if response.StatusCode < 400 {
			t.Fatal(response.Status)
		}
	})
}

func TestAnImageIsServed(t *testing.T) {
	var picture bytes.Buffer
	check(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 200, 100))))
	inApp(t, func(ctx context.Context) {
		key := stored(t, ctx, "a.png", "image/png", picture.Bytes())
		url, err := appimage.ServingURL(ctx, key, &appimage.ServingURLOptions{Size: 50, Crop: true})
		check(t, err)
		response, err := http.Get(url.String())
		check(t, err)
		defer response.Body.Close()
		served, format, err := image.DecodeConfig(response.Body)
		check(t, err)
		equal(t, fmt.Sprintf("%s %dx%d", format, served.Width, served.Height), "png 50x50")
		check(t, appimage.DeleteServingURL(ctx, key))
		gone, err := http.Get(url.String())
		check(t, err)
		gone.Body.Close()
		equal(t, gone.StatusCode, http.StatusNotFound)
	})
}
