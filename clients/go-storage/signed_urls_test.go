package objects

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
)

type signingKey struct {
	Email      string `json:"client_email"`
	PrivateKey string `json:"private_key"`
}

// newKey creates a signing key of the project.
func newKey(t *testing.T) signingKey {
	t.Helper()
	keys := fmt.Sprintf("%s/petrichor/v1/projects/%s/storage-keys", os.Getenv("STORAGE_EMULATOR_HOST"), project)
	status, body := send(t, "POST", keys, `{"name": "k`+unused()[:12]+`"}`, nil)
	equal(t, "creation of a key: "+body, status, http.StatusOK)
	var key signingKey
	check(t, json.Unmarshal([]byte(body), &key))
	t.Cleanup(func() { send(t, "DELETE", keys+"/"+key.Email, "", nil) })
	return key
}

func (f *fixture) sign(key signingKey, method, object string, headers ...string) string {
	f.t.Helper()
	// The client takes the host from STORAGE_EMULATOR_HOST.
	url, err := f.bucket.SignedURL(object, &storage.SignedURLOptions{
		GoogleAccessID: key.Email, PrivateKey: []byte(key.PrivateKey), Method: method,
		Expires: time.Now().Add(longest), Scheme: storage.SigningSchemeV4, Insecure: true, Headers: headers,
	})
	check(f.t, err)
	return url
}

func send(t *testing.T, method, url, body string, headers http.Header) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	check(t, err)
	for name, values := range headers {
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	return response.StatusCode, string(text)
}

func TestSignedUrls(t *testing.T) {
	f := open(t)
	key := newKey(t)
	name := "dir/ä b+c.txt"
	status, _ := send(t, "PUT", f.sign(key, "PUT", name, "x-goog-meta-color:blue"), "text",
		http.Header{"X-Goog-Meta-Color": {"blue"}})
	equal(t, "upload", status, http.StatusOK)
	attributes, err := f.bucket.Object(name).Attrs(f.ctx)
	check(t, err)
	equal(t, "metadata", attributes.Metadata["color"], "blue")
	url := f.sign(key, "GET", name)
	status, text := send(t, "GET", url, "", nil)
	equal(t, "download", status, http.StatusOK)
	equal(t, "content", text, "text")
	status, text = send(t, "DELETE", url, "", nil)
	equal(t, "another method", status, http.StatusForbidden)
	equal(t, "code in "+text, strings.Contains(text, "<Code>AccessDenied</Code>"), true)
	status, _ = send(t, "DELETE", f.sign(key, "DELETE", name), "", nil)
	equal(t, "deletion", status, http.StatusNoContent)
	status, _ = send(t, "GET", url, "", nil)
	equal(t, "a deleted object", status, http.StatusNotFound)
}
