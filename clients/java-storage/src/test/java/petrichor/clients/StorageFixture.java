package petrichor.clients;

import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Bucket;
import com.google.cloud.storage.BucketInfo;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageException;
import com.google.cloud.storage.StorageOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The official client, with buckets that no other test uses; they are removed afterwards. */
final class StorageFixture implements AutoCloseable {
    static final String PROJECT = "petrichor-clients";

    final Storage storage = client(PROJECT);
    private final List<String> made = new ArrayList<>();
    final Bucket bucket;

    private StorageFixture(boolean versions) {
        bucket = create(versions);
    }

    static StorageFixture open() {
        return new StorageFixture(false);
    }

    static StorageFixture withVersions() {
        return new StorageFixture(true);
    }

    static String host() {
        String host = System.getenv("STORAGE_EMULATOR_HOST");
        if (host == null) {
            throw new IllegalStateException(
                    "set STORAGE_EMULATOR_HOST=http://HOST:PORT, or start these tests with clients/run");
        }
        return host;
    }

    static Storage client(String project) {
        return StorageOptions.newBuilder()
                .setProjectId(project)
                .setHost(host())
                .setCredentials(NoCredentials.getInstance())
                .build()
                .getService();
    }

    Bucket create(boolean versions) {
        String name = "b-" + unused();
        Bucket created = storage.create(
                BucketInfo.newBuilder(name).setVersioningEnabled(versions).build());
        made.add(name);
        return created;
    }

    static String unused() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    BlobInfo object(String name) {
        return BlobInfo.newBuilder(bucket, name).build();
    }

    Blob put(String name, String text, Storage.BlobTargetOption... options) {
        return storage.create(object(name), text.getBytes(StandardCharsets.UTF_8), options);
    }

    String text(BlobId id) {
        return new String(storage.readAllBytes(id), StandardCharsets.UTF_8);
    }

    List<String> names(Storage.BlobListOption... options) {
        return StreamSupport.stream(bucket.list(options).iterateAll().spliterator(), false)
                .map(Blob::getName)
                .toList();
    }

    static void assertRefused(ThrowingCallable call, int status) {
        Assertions.assertThatExceptionOfType(StorageException.class)
                .isThrownBy(call)
                .satisfies(failure -> Assertions.assertThat(failure.getCode()).isEqualTo(status));
    }

    @Override
    public void close() throws Exception {
        try (storage) {
            for (String name : made) {
                storage.list(name, Storage.BlobListOption.versions(true))
                        .iterateAll()
                        .forEach(blob -> storage.delete(blob.getBlobId()));
                storage.delete(name);
            }
        }
    }
}
