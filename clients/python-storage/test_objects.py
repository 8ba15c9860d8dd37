import base64
import datetime
import hashlib

import pytest
from google.api_core import exceptions


def names(blobs):
    return [blob.name for blob in blobs]


def test_metadata_is_stored_and_patched(bucket, put):
    blob = bucket.blob("dir/ä b?#+%.txt")
    blob.metadata = {"color": "blue", "größe": "é"}
    blob.cache_control = "no-store"
    blob.content_disposition = "attachment"
    blob.content_language = "de"
    blob.custom_time = datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc)
    blob.upload_from_string("text", content_type="text/x-test")
    found = bucket.get_blob(blob.name)
    assert found.name == "dir/ä b?#+%.txt"
    assert found.metadata == {"color": "blue", "größe": "é"}
    assert (found.cache_control, found.content_disposition, found.content_language) == ("no-store", "attachment", "de")
    assert found.content_type == "text/x-test"
    assert found.custom_time == blob.custom_time
    assert found.size == 4
    assert found.generation == blob.generation
    assert found.metageneration == 1
    assert found.md5_hash == base64.b64encode(hashlib.md5(b"text").digest()).decode()
    assert found.crc32c
    assert found.etag
    assert found.time_created <= found.updated

    found.metadata = {"color": "red"}
    found.content_type = "text/plain"
    found.cache_control = None
    found.patch()
    again = bucket.get_blob(blob.name)
    assert again.metadata["color"] == "red"
    assert again.content_type == "text/plain"
    assert again.cache_control is None
    assert again.content_language == "de"
    assert again.metageneration == 2
    assert again.generation == found.generation
    assert again.updated > again.time_created

    again.metadata = None
    again.update()
    assert bucket.get_blob(blob.name).metadata is None


def test_missing_objects(bucket):
    assert bucket.get_blob("no") is None
    assert not bucket.blob("no").exists()
    with pytest.raises(exceptions.NotFound, match="No such object"):
        bucket.blob("no").download_as_bytes()
    with pytest.raises(exceptions.NotFound):
        bucket.blob("no").delete()
    with pytest.raises(exceptions.NotFound):
        bucket.blob("no").reload()


@pytest.mark.parametrize("name", ["a\nb", "x" * 1025, ".", ".."])
def test_invalid_names_are_refused(bucket, name):
    with pytest.raises(exceptions.BadRequest, match="object name"):
        bucket.blob(name).upload_from_string("x")


def test_too_much_metadata_is_refused(bucket):
    blob = bucket.blob("a")
    blob.metadata = {"k": "v" * 9000}
    with pytest.raises(exceptions.BadRequest, match="metadata"):
        blob.upload_from_string("x")


def test_lists_with_prefix_and_delimiter(client, bucket, put):
    for name in ("a", "b/1", "b/2", "b/c/3", "d/4", "e"):
        put(name)
    assert names(client.list_blobs(bucket)) == ["a", "b/1", "b/2", "b/c/3", "d/4", "e"]
    assert names(client.list_blobs(bucket, prefix="b/")) == ["b/1", "b/2", "b/c/3"]
    listing = client.list_blobs(bucket, delimiter="/")
    assert names(listing) == ["a", "e"]
    assert listing.prefixes == {"b/", "d/"}
    listing = client.list_blobs(bucket, prefix="b/", delimiter="/")
    assert names(listing) == ["b/1", "b/2"]
    assert listing.prefixes == {"b/c/"}
    assert names(client.list_blobs(bucket, start_offset="b/2", end_offset="e")) == ["b/2", "b/c/3", "d/4"]
    assert names(client.list_blobs(bucket, max_results=2)) == ["a", "b/1"]
    assert names(client.list_blobs(bucket, match_glob="b/*")) == ["b/1", "b/2"]
    assert names(client.list_blobs(bucket, match_glob="**/{3,4}")) == ["b/c/3", "d/4"]


def test_lists_in_pages(client, bucket, put):
    for i in range(7):
        put(f"{i}/x")
    pages = list(client.list_blobs(bucket, page_size=3).pages)
    assert [len(list(page)) for page in pages] == [3, 3, 1]
    listing = client.list_blobs(bucket, page_size=2, delimiter="/")
    assert names(listing) == []
    assert listing.prefixes == {f"{i}/" for i in range(7)}
    token = client.list_blobs(bucket, page_size=3)
    next(token.pages)
    rest = client.list_blobs(bucket, page_token=token.next_page_token)
    assert len(list(rest)) == 4
    with pytest.raises(exceptions.BadRequest, match="page token"):
        list(client.list_blobs(bucket, page_token="what"))


def test_generations_and_preconditions(bucket):
    blob = bucket.blob("a")
    blob.upload_from_string("1", if_generation_match=0)
    first = blob.generation
    with pytest.raises(exceptions.PreconditionFailed):
        blob.upload_from_string("2", if_generation_match=0)
    blob.upload_from_string("2", if_generation_match=first)
    assert blob.generation > first
    with pytest.raises(exceptions.PreconditionFailed):
        blob.delete(if_generation_match=first)
    with pytest.raises(exceptions.PreconditionFailed):
        blob.download_as_bytes(if_generation_match=first)
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.blob("a").reload(if_metageneration_match=5)
    blob.content_type = "text/plain"
    with pytest.raises(exceptions.PreconditionFailed):
        blob.patch(if_metageneration_match=7)
    blob.patch(if_metageneration_match=1)
    assert bucket.blob("a").download_as_bytes(if_generation_not_match=first) == b"2"
    with pytest.raises(exceptions.NotModified):
        bucket.blob("a").reload(if_generation_not_match=blob.generation)
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.blob("a").reload(if_etag_match="other")
    bucket.blob("a").reload(if_etag_match=bucket.get_blob("a").etag)


def test_versions(client, make_bucket):
    bucket = make_bucket(versioning_enabled=True)
    blob = bucket.blob("a")
    generations = []
    for text in ("1", "2", "3"):
        blob.upload_from_string(text)
        generations.append(blob.generation)
    assert [b.generation for b in client.list_blobs(bucket, versions=True)] == generations
    assert names(client.list_blobs(bucket)) == ["a"]
    assert bucket.blob("a", generation=generations[0]).download_as_bytes() == b"1"
    bucket.blob("a").delete()
    assert bucket.get_blob("a") is None
    assert len(list(client.list_blobs(bucket, versions=True))) == 3
    bucket.delete_blob("a", generation=generations[1])
    assert [b.generation for b in client.list_blobs(bucket, versions=True)] == [generations[0], generations[2]]
    bucket.copy_blob(bucket.blob("a"), bucket, "a", source_generation=generations[0])
    assert bucket.blob("a").download_as_bytes() == b"1"


def test_copies(client, bucket, make_bucket, put):
    source = put("a/b c", "text", content_type="text/x")
    other = make_bucket()
    copy = bucket.copy_blob(source, other, "d/e")
    assert copy.download_as_bytes() == b"text"
    assert other.get_blob("d/e").content_type == "text/x"
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.copy_blob(source, other, "d/e", if_generation_match=0)
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.copy_blob(source, other, "f", if_source_generation_match=1)
    moved = bucket.rename_blob(source, "new")
    assert names(client.list_blobs(bucket)) == ["new"]
    assert moved.download_as_bytes() == b"text"
    target = other.blob("rewritten")
    target.content_type = "text/y"
    token, done, total = target.rewrite(bucket.blob("new"))
    assert (token, done, total) == (None, 4, 4)
    assert other.get_blob("rewritten").content_type == "text/y"
    moved.update_storage_class("NEARLINE")
    assert bucket.get_blob("new").storage_class == "NEARLINE"


def test_compositions(bucket, put):
    parts = [put(f"part-{i}", text) for i, text in enumerate(("one ", "two ", "three"))]
    whole = bucket.blob("whole")
    whole.content_type = "text/plain"
    whole.compose(parts)
    assert whole.download_as_bytes() == b"one two three"
    assert whole.component_count == 3
    assert whole.content_type == "text/plain"
    assert whole.md5_hash is None
    check = bucket.blob("check")
    check.upload_from_string("one two three")
    assert whole.crc32c == check.crc32c
    whole.compose([whole, parts[0]], if_generation_match=whole.generation)
    assert whole.download_as_bytes() == b"one two threeone "
    with pytest.raises(exceptions.NotFound):
        bucket.blob("x").compose([bucket.blob("no")])
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.blob("x").compose(parts[:2], if_source_generation_match=[1, None])
    for part in parts:
        part.delete()
    assert whole.download_as_bytes() == b"one two threeone "


def test_holds_are_refused(put):
    blob = put("a")
    blob.temporary_hold = True
    with pytest.raises(exceptions.GoogleAPICallError, match="not supported"):
        blob.patch()


def test_many_deletions(bucket, put):
    blobs = [put(str(i)) for i in range(5)]
    bucket.delete_blobs(blobs)
    assert list(bucket.list_blobs()) == []
    with pytest.raises(exceptions.NotFound):
        bucket.delete_blobs(blobs)
    bucket.delete_blobs(blobs, on_error=lambda _: None)


def test_batches(client, bucket, put):
    blobs = [put(f"ä {i}") for i in range(5)]
    with client.batch():
        blobs[0].metadata = {"color": "blue"}
        blobs[0].patch()
        for blob in blobs[1:]:
            blob.delete()
    assert names(bucket.list_blobs()) == ["ä 0"]
    assert bucket.get_blob("ä 0").metadata == {"color": "blue"}
    with pytest.raises(exceptions.NotFound):
        with client.batch():
            blobs[0].delete()
            blobs[1].delete()
    assert list(bucket.list_blobs()) == []
