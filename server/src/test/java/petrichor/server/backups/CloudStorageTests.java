package petrichor.server.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.movement.backups.BackupCheck;
import petrichor.movement.backups.BackupKey;
import petrichor.movement.backups.BackupRun;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.DatabaseRows;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** Tests of backups in a bucket, on a server with Cloud Storage's API. */
abstract class CloudStorageTests {
    static final String BUCKET = "backups";

    @TempDir Path folder;

    /** Of a server with an empty {@link #BUCKET}. */
    abstract URI endpoint();

    private CloudStorageTarget target(String bucket) {
        CloudStorageAddress address =
                new CloudStorageAddress(bucket, "of/shop", Optional.of(endpoint()));
        return new CloudStorageTarget(
                address, CloudStorageConnection.open(address, Duration.ofSeconds(2)));
    }

    @Test
    void aLongFileAppearsWhenItIsComplete() throws Exception {
        CloudStorageTarget target = target(BUCKET);
        byte[] bytes = new byte[2 * CloudStorageUpload.CHUNK_BYTES + 1_000_001];
        new Random(1).nextBytes(bytes);
        try (BackupTarget.Upload given = target.write("a/long")) {
            given.stream().write(bytes);
        }
        assertThat(target.list("")).isEmpty();
        try (BackupTarget.Upload upload = target.write("a/long")) {
            for (int at = 0; at < bytes.length; at += 1 << 20) {
                upload.stream().write(bytes, at, Math.min(1 << 20, bytes.length - at));
            }
            assertThat(target.list("")).isEmpty();
            upload.complete();
        }
        assertThat(target.list("a")).containsExactly("a/long");
        try (InputStream in = target.read("a/long")) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
        target.delete("a/long");
        target.delete("a/long");
        assertThat(target.list("")).isEmpty();
    }

    @Test
    void filesAreReplacedAndListedInOrderByFolder() throws Exception {
        CloudStorageTarget target = target(BUCKET);
        for (String name : List.of("b/2", "b/1", "a", "b/1")) {
            try (BackupTarget.Upload upload = target.write(name)) {
                upload.stream().write(name.length());
                upload.complete();
            }
        }
        assertThat(target.list("")).containsExactly("a", "b/1", "b/2");
        assertThat(target.list("b")).containsExactly("b/1", "b/2");
        try (InputStream in = target.read("b/1")) {
            assertThat(in.readAllBytes()).containsExactly(3);
        }
        target.list("").forEach(target::delete);
    }

    @Test
    void missingFilesAndBucketsAreNotFound() {
        assertThatThrownBy(() -> target(BUCKET).read("missing"))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        missing -> assertThat(missing.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageContaining("of/shop/missing in the bucket backups");
        CloudStorageTarget elsewhere = target("no-such-bucket");
        try (BackupTarget.Upload upload = elsewhere.write("x")) {
            assertThatThrownBy(
                            () -> {
                                upload.stream().write(1);
                                upload.complete();
                            })
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            missing -> assertThat(missing.code()).isEqualTo(ErrorCode.NOT_FOUND));
        }
    }

    @Test
    void backupsAreVerifiedAndDamageIsFound() throws Exception {
        CloudStorageTarget target = target(BUCKET);
        DatabaseName shop = new DatabaseName("shop", "");
        BackupSets sets = new BackupSets(target, shop, BackupKey.create(folder.resolve("key")));
        try (RowDatabases databases = new RowDatabases(RoutedStores.of(MemoryStore.open()))) {
            Datastore datastore = new Datastore(databases, TimeSource.SYSTEM);
            var _ = datastore.commit(item()).join();
            var _ =
                    new BackupRun(
                                    request ->
                                            new DatabaseRows(datastore.databases().open("shop", ""))
                                                    .ask(request),
                                    sets,
                                    new BackupRun.Options(true, BackupRun.Options.CONSUMER, 1),
                                    (_, _, _) -> {})
                            .run();
        }
        assertThat(new BackupCheck(sets, (_, _, _) -> {}).run().problems()).isEmpty();
        assertThat(new BackupCheck(sets, (_, _, _) -> {}).run().sets()).isEqualTo(1);
        String name = target.list("").getFirst();
        byte[] bytes;
        try (InputStream in = target.read(name)) {
            bytes = in.readAllBytes();
        }
        bytes[bytes.length / 2] ^= 1;
        try (BackupTarget.Upload upload = target.write(name)) {
            upload.stream().write(bytes);
            upload.complete();
        }
        assertThat(new BackupCheck(sets, (_, _, _) -> {}).run().problems()).isNotEmpty();
        target.list("").forEach(target::delete);
    }

    private static CommitRequest item() {
        Key key =
                Key.newBuilder()
                        .setPartitionId(PartitionId.newBuilder().setProjectId("shop"))
                        .addPath(Key.PathElement.newBuilder().setKind("Item").setName("one"))
                        .build();
        return CommitRequest.newBuilder()
                .setProjectId("shop")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(Entity.newBuilder().setKey(key)))
                .build();
    }
}
