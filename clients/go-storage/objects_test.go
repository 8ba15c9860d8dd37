package objects

import (
	"crypto/md5"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
)

func TestMetadataIsStoredAndPatched(t *testing.T) {
	f := open(t)
	object := f.bucket.Object("dir/ä b?#+%.txt")
	writer := object.NewWriter(f.ctx)
	writer.ContentType = "text/x-test"
	writer.CacheControl = "no-store"
	writer.ContentDisposition = "attachment"
	writer.ContentLanguage = "de"
	writer.Metadata = map[string]string{"color": "blue", "größe": "é"}
	writer.CustomTime = time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	written, err := write(writer, []byte("text"))
	check(t, err)
	found, err := object.Attrs(f.ctx)
	check(t, err)
	equal(t, "name", found.Name, "dir/ä b?#+%.txt")
	equal(t, "type", found.ContentType, "text/x-test")
	equal(t, "cache", found.CacheControl, "no-store")
	equal(t, "disposition", found.ContentDisposition, "attachment")
	equal(t, "language", found.ContentLanguage, "de")
	equal(t, "metadata", fmt.Sprint(found.Metadata), "map[color:blue größe:é]")
	equal(t, "custom time", found.CustomTime.Equal(writer.CustomTime), true)
	equal(t, "size", found.Size, 4)
	equal(t, "generation", found.Generation, written.Generation)
	equal(t, "metageneration", found.Metageneration, 1)
	equal(t, "crc32c", found.CRC32C, crc32.Checksum([]byte("text"), crc32.MakeTable(crc32.Castagnoli)))
	equal(t, "md5", [16]byte(found.MD5), md5.Sum([]byte("text")))

	changed, err := object.Update(f.ctx, storage.ObjectAttrsToUpdate{
		ContentType: "text/plain", CacheControl: "", Metadata: map[string]string{"color": "red"},
	})
	check(t, err)
	equal(t, "new type", changed.ContentType, "text/plain")
	equal(t, "new cache", changed.CacheControl, "")
	equal(t, "kept language", changed.ContentLanguage, "de")
	equal(t, "new metadata", changed.Metadata["color"], "red")
	equal(t, "new metageneration", changed.Metageneration, 2)
	equal(t, "same generation", changed.Generation, written.Generation)
	changed, err = object.Update(f.ctx, storage.ObjectAttrsToUpdate{Metadata: map[string]string{}})
	check(t, err)
	equal(t, "removed metadata", len(changed.Metadata), 0)
}

func TestMissingObjects(t *testing.T) {
	f := open(t)
	missing := f.bucket.Object("no")
	_, attributes := missing.Attrs(f.ctx)
	_, content := missing.NewReader(f.ctx)
	for _, err := range []error{attributes, content, missing.Delete(f.ctx)} {
		if !errors.Is(err, storage.ErrObjectNotExist) {
			t.Errorf("got %v", err)
		}
	}
	_, err := write(f.bucket.Object("a\nb").NewWriter(f.ctx), nil)
	refused(t, "an invalid name", err, 400)
}

func TestListsWithPrefixAndDelimiter(t *testing.T) {
	f := open(t)
	for _, name := range []string{"a", "b/1", "b/2", "b/c/3", "d/4", "e"} {
		f.put(f.bucket.Object(name), "")
	}
	sameList(t, "all", f.names(nil), "a", "b/1", "b/2", "b/c/3", "d/4", "e")
	sameList(t, "prefix", f.names(&storage.Query{Prefix: "b/"}), "b/1", "b/2", "b/c/3")
	sameList(t, "delimiter", f.names(&storage.Query{Delimiter: "/"}), "a", "e", "b/", "d/")
	sameList(t, "both", f.names(&storage.Query{Prefix: "b/", Delimiter: "/"}), "b/1", "b/2", "b/c/")
	sameList(t, "offsets", f.names(&storage.Query{StartOffset: "b/2", EndOffset: "e"}), "b/2", "b/c/3", "d/4")
	sameList(t, "glob", f.names(&storage.Query{MatchGlob: "**/{3,4}"}), "b/c/3", "d/4")
	selected := &storage.Query{Prefix: "b/1"}
	check(t, selected.SetAttrSelection([]string{"Name", "Size"}))
	sameList(t, "some attributes", f.names(selected), "b/1")
}

func TestListsInPages(t *testing.T) {
	f := open(t)
	for i := range 7 {
		f.put(f.bucket.Object(fmt.Sprint(i)), "")
	}
	sizes := []int{}
	for token := ""; len(sizes) == 0 || token != ""; {
		var page []*storage.ObjectAttrs
		next, err := iterator.NewPager(f.bucket.Objects(f.ctx, nil), 3, token).NextPage(&page)
		check(t, err)
		sizes, token = append(sizes, len(page)), next
	}
	sameList(t, "pages", sizes, 3, 3, 1)
}

func TestGenerationsAndPreconditions(t *testing.T) {
	f := open(t)
	object := f.bucket.Object("a")
	first := f.put(object.If(storage.Conditions{DoesNotExist: true}), "1")
	_, err := write(object.If(storage.Conditions{DoesNotExist: true}).NewWriter(f.ctx), []byte("2"))
	refused(t, "an object that exists", err, 412)
	second := f.put(object.If(storage.Conditions{GenerationMatch: first.Generation}), "2")
	if second.Generation <= first.Generation {
		t.Errorf("%d after %d", second.Generation, first.Generation)
	}
	stale := object.If(storage.Conditions{GenerationMatch: first.Generation})
	refused(t, "deletion", stale.Delete(f.ctx), 412)
	_, err = stale.Attrs(f.ctx)
	refused(t, "attributes", err, 412)
	_, err = stale.NewReader(f.ctx)
	refused(t, "content", err, 412)
	_, err = object.If(storage.Conditions{MetagenerationMatch: 7}).Update(
		f.ctx, storage.ObjectAttrsToUpdate{ContentType: "text/plain"})
	refused(t, "an update", err, 412)
	equal(t, "content", f.text(object.If(storage.Conditions{GenerationNotMatch: first.Generation})), "2")
}

func TestVersions(t *testing.T) {
	f := openWith(t, &storage.BucketAttrs{VersioningEnabled: true})
	object := f.bucket.Object("a")
	generations := []int64{}
	for _, text := range []string{"1", "2", "3"} {
		generations = append(generations, f.put(object, text).Generation)
	}
	listed := []int64{}
	for _, version := range f.list(f.bucket, &storage.Query{Versions: true}) {
		listed = append(listed, version.Generation)
	}
	sameList(t, "versions", listed, generations...)
	sameList(t, "live", f.names(nil), "a")
	equal(t, "the first version", f.text(object.Generation(generations[0])), "1")
	check(t, object.Delete(f.ctx))
	sameList(t, "live after the deletion", f.names(nil))
	check(t, object.Generation(generations[1]).Delete(f.ctx))
	equal(t, "versions left", len(f.list(f.bucket, &storage.Query{Versions: true})), 2)
	_, err := object.CopierFrom(object.Generation(generations[0])).Run(f.ctx)
	check(t, err)
	equal(t, "restored", f.text(object), "1")
}

func TestCopies(t *testing.T) {
	f := open(t)
	source := f.bucket.Object("a/b c")
	attributes := f.put(source, "text")
	target := f.newBucket(nil).Object("d/e")
	copier := target.CopierFrom(source)
	copier.ContentType = "text/y"
	copied := uint64(0)
	copier.ProgressFunc = func(done, total uint64) { copied = done }
	result, err := copier.Run(f.ctx)
	check(t, err)
	equal(t, "type", result.ContentType, "text/y")
	equal(t, "copied", copied, 4)
	equal(t, "content", f.text(target), "text")
	_, err = target.If(storage.Conditions{DoesNotExist: true}).CopierFrom(source).Run(f.ctx)
	refused(t, "a target that exists", err, 412)
	stale := source.If(storage.Conditions{GenerationMatch: attributes.Generation - 1})
	_, err = target.CopierFrom(stale).Run(f.ctx)
	refused(t, "another source", err, 412)
	_, err = target.CopierFrom(f.bucket.Object("no")).Run(f.ctx)
	refused(t, "no source", err, 404)
}

func TestCompositions(t *testing.T) {
	f := open(t)
	one, two := f.bucket.Object("1"), f.bucket.Object("2")
	f.put(one, "one ")
	f.put(two, "two")
	whole := f.bucket.Object("whole")
	composer := whole.ComposerFrom(one, two)
	composer.ContentType = "text/plain"
	composed, err := composer.Run(f.ctx)
	check(t, err)
	equal(t, "content", f.text(whole), "one two")
	equal(t, "components", composed.ComponentCount, 2)
	equal(t, "type", composed.ContentType, "text/plain")
	equal(t, "crc32c", composed.CRC32C, crc32.Checksum([]byte("one two"), crc32.MakeTable(crc32.Castagnoli)))
	_, err = whole.ComposerFrom(f.bucket.Object("no")).Run(f.ctx)
	refused(t, "no source", err, 404)
	_, err = whole.If(storage.Conditions{DoesNotExist: true}).ComposerFrom(one).Run(f.ctx)
	refused(t, "a target that exists", err, 412)
	check(t, one.Delete(f.ctx))
	equal(t, "content without its source", f.text(whole), "one two")
}
