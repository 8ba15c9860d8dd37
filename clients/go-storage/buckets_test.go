package objects

import (
	"errors"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
)

func TestANewBucketHasTheAttributesThatTheClientExpects(t *testing.T) {
	f := open(t)
	found, err := f.bucket.Attrs(f.ctx)
	check(t, err)
	equal(t, "name", found.Name, f.bucket.BucketName())
	equal(t, "metageneration", found.MetaGeneration, 1)
	equal(t, "class", found.StorageClass, "STANDARD")
	equal(t, "location", found.Location, "US")
	equal(t, "versioning", found.VersioningEnabled, false)
	if found.Created.IsZero() || found.Etag == "" || found.ProjectNumber == 0 {
		t.Errorf("%+v", found)
	}
}

func TestErrorsOfBuckets(t *testing.T) {
	f := open(t)
	refused(t, "the same name", f.bucket.Create(f.ctx, project, nil), 409)
	refused(t, "capital letters", f.Bucket("Upper").Create(f.ctx, project, nil), 400)
	missing := f.Bucket("b-no-such-bucket")
	if _, err := missing.Attrs(f.ctx); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Errorf("a missing bucket: %v", err)
	}
	if _, err := missing.Objects(f.ctx, nil).Next(); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Errorf("objects of a missing bucket: %v", err)
	}
	object := f.bucket.Object("a")
	f.put(object, "text")
	refused(t, "a bucket with an object", f.bucket.Delete(f.ctx), 409)
	stale := f.bucket.If(storage.BucketConditions{MetagenerationMatch: 7})
	_, err := stale.Update(f.ctx, storage.BucketAttrsToUpdate{VersioningEnabled: true})
	refused(t, "another metageneration", err, 412)
}

func TestSettingsArePatched(t *testing.T) {
	f := open(t)
	update := storage.BucketAttrsToUpdate{VersioningEnabled: true}
	update.SetLabel("a", "1")
	update.SetLabel("b", "2")
	update.CORS = []storage.CORS{{Origins: []string{"*"}, Methods: []string{"GET"}}}
	update.Lifecycle = &storage.Lifecycle{Rules: []storage.LifecycleRule{{
		Action: storage.LifecycleAction{Type: storage.DeleteAction}, Condition: storage.LifecycleCondition{AgeInDays: 30},
	}}}
	_, err := f.bucket.Update(f.ctx, update)
	check(t, err)
	remove := storage.BucketAttrsToUpdate{}
	remove.DeleteLabel("a")
	_, err = f.bucket.Update(f.ctx, remove)
	check(t, err)
	found, err := f.bucket.Attrs(f.ctx)
	check(t, err)
	equal(t, "versioning", found.VersioningEnabled, true)
	equal(t, "labels", len(found.Labels), 1)
	equal(t, "label", found.Labels["b"], "2")
	equal(t, "age", found.Lifecycle.Rules[0].Condition.AgeInDays, 30)
	sameList(t, "origins", found.CORS[0].Origins, "*")
	equal(t, "metageneration", found.MetaGeneration, 3)
}

func TestBucketsAreListedByProjectInPages(t *testing.T) {
	f := open(t)
	made := map[string]bool{f.bucket.BucketName(): true}
	for range 2 {
		made[f.newBucket(nil).BucketName()] = true
	}
	listed := f.Buckets(f.ctx, project)
	pager := iterator.NewPager(listed, 1, "")
	for {
		var page []*storage.BucketAttrs
		token, err := pager.NextPage(&page)
		check(t, err)
		for _, bucket := range page {
			delete(made, bucket.Name)
		}
		if token == "" {
			break
		}
	}
	equal(t, "buckets that are not listed", len(made), 0)
	listed = f.Buckets(f.ctx, "another-project")
	listed.Prefix = f.bucket.BucketName()
	if _, err := listed.Next(); err != iterator.Done {
		t.Errorf("another project: %v", err)
	}
}
