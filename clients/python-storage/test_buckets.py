import pytest
from google.api_core import exceptions
from google.cloud import storage


def test_a_new_bucket_has_the_attributes_that_the_client_expects(client, bucket):
    found = client.get_bucket(bucket.name)
    assert found.name == bucket.name
    assert found.id == bucket.name
    assert found.metageneration == 1
    assert found.time_created is not None
    assert found.storage_class == "STANDARD"
    assert found.location == "US"
    assert not found.versioning_enabled
    assert found.project_number > 0
    assert found.etag
    assert bucket.exists()
    assert not client.bucket("b-no-such-bucket").exists()


def test_names_are_unique(client, bucket):
    with pytest.raises(exceptions.Conflict):
        client.create_bucket(bucket.name)
    with pytest.raises(exceptions.Conflict):
        storage.Client(project="another-project").create_bucket(bucket.name)


@pytest.mark.parametrize("name", ["Upper", "a", "192.168.0.1", "a..b", "x" * 64])
def test_invalid_names_are_refused(client, name):
    with pytest.raises(exceptions.BadRequest, match="bucket name"):
        client.create_bucket(name)


def test_a_missing_bucket_is_not_found(client):
    with pytest.raises(exceptions.NotFound, match="bucket does not exist"):
        client.get_bucket("b-no-such-bucket")
    with pytest.raises(exceptions.NotFound):
        client.bucket("b-no-such-bucket").blob("x").upload_from_string("x")
    with pytest.raises(exceptions.NotFound):
        list(client.list_blobs("b-no-such-bucket"))


def test_buckets_are_listed_by_project_in_pages(client, make_bucket):
    made = sorted(make_bucket().name for _ in range(3))
    assert [b.name for b in client.list_buckets(page_size=1) if b.name in made] == made
    assert [b.name for b in client.list_buckets(prefix=made[0])] == [made[0]]
    assert made[0] not in [b.name for b in storage.Client(project="another-project").list_buckets()]


def test_settings_are_patched(bucket, client):
    bucket.labels = {"a": "1", "b": "2"}
    bucket.versioning_enabled = True
    bucket.cors = [{"origin": ["*"], "method": ["GET"]}]
    bucket.add_lifecycle_delete_rule(age=30)
    bucket.patch()
    found = client.get_bucket(bucket.name)
    assert found.labels == {"a": "1", "b": "2"}
    assert found.versioning_enabled
    assert found.cors == [{"origin": ["*"], "method": ["GET"]}]
    assert list(found.lifecycle_rules)[0]["condition"] == {"age": 30}
    assert found.metageneration == 2
    labels = found.labels
    del labels["a"]
    found.labels = labels
    found.patch()
    assert client.get_bucket(bucket.name).labels == {"b": "2"}
    assert client.get_bucket(bucket.name).versioning_enabled


def test_settings_are_replaced_by_an_update(bucket, client):
    bucket.labels = {"a": "1"}
    bucket.versioning_enabled = True
    bucket.patch()
    fresh = client.bucket(bucket.name)
    fresh.labels = {"c": "3"}
    fresh.update()
    found = client.get_bucket(bucket.name)
    assert found.labels == {"c": "3"}
    assert not found.versioning_enabled


def test_a_change_needs_its_preconditions(bucket):
    bucket.labels = {"a": "1"}
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.patch(if_metageneration_match=99)
    bucket.patch(if_metageneration_match=1)
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.reload(if_metageneration_match=1)


def test_only_an_empty_bucket_is_deleted(bucket, client):
    bucket.blob("a").upload_from_string("a")
    with pytest.raises(exceptions.Conflict, match="not empty"):
        bucket.delete()
    bucket.blob("a").delete()
    bucket.delete()
    assert not bucket.exists()
    client.create_bucket(bucket.name)  # the name is free again


def test_a_bucket_is_deleted_with_its_objects_by_force(make_bucket):
    bucket = make_bucket(versioning_enabled=True)
    for name in ("a", "a", "b"):
        bucket.blob(name).upload_from_string("x")
    bucket.delete(force=True)
    assert not bucket.exists()


def test_what_would_be_ignored_is_refused(client, make_bucket):
    with pytest.raises(exceptions.GoogleAPICallError, match="retention policies are not supported"):
        make_bucket(retention_period=60)
    with pytest.raises(exceptions.GoogleAPICallError, match="not supported|does not have the method"):
        make_bucket().get_iam_policy()


def test_the_bucket_of_an_app_belongs_to_its_project(client):
    with pytest.raises(exceptions.Forbidden, match="appspot.com"):
        client.create_bucket("some-other-app.appspot.com")
