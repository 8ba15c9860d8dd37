package petrichor.services.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class BucketsTest {
    private final BlobHome home = new BlobHome();
    private final Buckets buckets = home.blobs.buckets();

    @AfterEach
    void close() {
        home.close();
    }

    private static ErrorCode code(Runnable call) {
        try {
            call.run();
        } catch (PetrichorException failed) {
            return failed.code();
        }
        throw new AssertionError("it did not fail");
    }

    @Test
    void aBucketBelongsToItsProject() {
        Bucket made = buckets.create("one", "pictures", false, "{}");
        assertThat(buckets.get("pictures")).isEqualTo(made);
        assertThat(made.version().metageneration()).isEqualTo(1);
        assertThat(buckets.list("one", "", "", 10)).containsExactly(made);
        assertThat(buckets.list("two", "", "", 10)).isEmpty();
    }

    @Test
    void aNameIsUniqueInTheDeployment() {
        buckets.create("one", "pictures", false, "");
        assertThat(code(() -> buckets.create("two", "pictures", false, "")))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(code(() -> buckets.create("one", "pictures", false, "")))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        buckets.delete("pictures", Preconditions.NONE);
        assertThat(buckets.create("two", "pictures", false, "").project()).isEqualTo("two");
    }

    @Test
    void aClaimWithoutABucketLapses() {
        buckets.create("one", "pictures", false, "");
        // The server crashed after the claim: the bucket's own row is missing.
        RowChange.commit(
                home.databases.open("one"),
                change -> {
                    change.delete(BlobRows.bucket("pictures"));
                    return 0;
                });
        assertThat(buckets.find("pictures")).isEmpty();
        assertThat(code(() -> buckets.create("two", "pictures", false, "")))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        home.pass(java.time.Duration.ofMinutes(11));
        assertThat(buckets.create("two", "pictures", false, "").project()).isEqualTo("two");
        assertThat(code(() -> buckets.create("one", "pictures", false, "")))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        home.pass(java.time.Duration.ofMinutes(11));
        assertThat(code(() -> buckets.create("one", "pictures", false, "")))
                .as("the bucket exists")
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void onlyAnEmptyBucketIsDeleted() {
        buckets.create("one", "pictures", true, "");
        home.put("pictures", "a", "1");
        assertThat(buckets.delete("pictures", Preconditions.NONE))
                .isEqualTo(Buckets.Deletion.NOT_EMPTY);
        home.blobs.objects().delete("pictures", "a", null, Preconditions.NONE);
        assertThat(buckets.delete("pictures", Preconditions.NONE))
                .as("a noncurrent version is left")
                .isEqualTo(Buckets.Deletion.NOT_EMPTY);
        Listing versions = home.blobs.objects().list("pictures", ObjectsTest.versions());
        home.blobs
                .objects()
                .delete(
                        "pictures",
                        "a",
                        versions.objects().getFirst().generation(),
                        Preconditions.NONE);
        assertThat(buckets.delete("pictures", Preconditions.NONE))
                .isEqualTo(Buckets.Deletion.DELETED);
        assertThat(code(() -> buckets.get("pictures"))).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void anUpdateRaisesTheMetageneration() {
        buckets.create("one", "pictures", false, "a");
        Preconditions first = new Preconditions(null, null, 1L, null);
        Bucket changed =
                buckets.update(
                        "pictures",
                        first,
                        b -> new Bucket(b.name(), b.project(), b.version(), true, "b"));
        assertThat(changed.version().metageneration()).isEqualTo(2);
        assertThat(buckets.get("pictures").settings()).isEqualTo("b");
        assertThat(code(() -> buckets.update("pictures", first, b -> b)))
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
        assertThat(code(() -> buckets.delete("pictures", first)))
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "ab", "Upper", "-x-", "a..b", "192.168.1.1", "a b", "a/b", "$system"})
    void anotherNameIsNoBucket(String name) {
        assertThatThrownBy(() -> buckets.create("one", name, false, ""))
                .hasMessageContaining("Invalid bucket name");
    }

    @Test
    void listsArePaged() {
        for (int i = 0; i < 5; i++) {
            buckets.create("one", "bucket-" + i, false, "");
        }
        buckets.create("one", "other", false, "");
        assertThat(buckets.list("one", "bucket", "", 2))
                .extracting(Bucket::name)
                .containsExactly("bucket-0", "bucket-1");
        assertThat(buckets.list("one", "bucket", "bucket-1", 9))
                .extracting(Bucket::name)
                .containsExactly("bucket-2", "bucket-3", "bucket-4");
    }
}
