package app

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/capability"
	"google.golang.org/appengine/v2/module"
	"google.golang.org/appengine/v2/runtime"
)

func TestCapabilities(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		equal(t, capability.Enabled(ctx, "memcache", "*"), true) // without a call
		equal(t, capability.Enabled(ctx, "datastore_v3", "write"), true)
	})
}

func TestModules(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		services, err := module.List(ctx)
		check(t, err)
		equal(t, len(services), 1)
		equal(t, services[0], "default")
		versions, err := module.Versions(ctx, "")
		check(t, err)
		equal(t, versions[0], "v1")
		version, err := module.DefaultVersion(ctx, "default")
		check(t, err)
		equal(t, version, "v1")
		instances, err := module.NumInstances(ctx, "", "")
		check(t, err)
		equal(t, instances, 1)
		if module.SetNumInstances(ctx, "", "", 2) == nil {
			t.Fatal("a version that scales automatically was resized")
		}
		for name, change := range map[string]func(context.Context, string, string) error{
			"started": module.Start, "stopped": module.Stop,
		} {
			if change(ctx, "default", "v1") == nil {
				t.Fatal("a version that scales automatically was " + name)
			}
		}
		host, err := appengine.ModuleHostname(ctx, "", "", "")
		check(t, err)
		equal(t, host, "localhost:8080")
	})
}

func TestTheSystem(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		stats, err := runtime.Stats(ctx)
		check(t, err)
		equal(t, *stats, runtime.Statistics{})
		if runtime.RunInBackground(ctx, func(context.Context) {}) == nil {
			t.Fatal("a version that scales automatically has a background request")
		}
	})
}

func TestSignaturesAreVerifiedWithTheCertificate(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		name, signature, err := appengine.SignBytes(ctx, []byte("text"))
		check(t, err)
		certificates, err := appengine.PublicCertificates(ctx)
		check(t, err)
		equal(t, len(certificates), 1)
		equal(t, certificates[0].KeyName, name)
		block, _ := pem.Decode(certificates[0].Data)
		certificate, err := x509.ParseCertificate(block.Bytes)
		check(t, err)
		hash := sha256.Sum256([]byte("text"))
		check(t, rsa.VerifyPKCS1v15(certificate.PublicKey.(*rsa.PublicKey), crypto.SHA256, hash[:], signature))
	})
}

func TestAccessTokens(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		token, expires, err := appengine.AccessToken(ctx, "https://example.com/auth")
		check(t, err)
		if token == "" || expires.Before(time.Now()) {
			t.Fatal(token, expires)
		}
		account, err := appengine.ServiceAccount(ctx)
		check(t, err)
		equal(t, account, appengine.AppID(ctx)+"@appspot.gserviceaccount.com")
	})
}
