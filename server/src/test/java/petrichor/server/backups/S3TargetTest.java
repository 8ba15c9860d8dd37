package petrichor.server.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.jclouds.blobstore.domain.Blob;
import org.jclouds.blobstore.domain.StorageMetadata;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.movement.backups.BackupCheck;
import petrichor.movement.backups.BackupDrill;
import petrichor.movement.backups.BackupKey;
import petrichor.movement.backups.BackupRun;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.DatabaseRows;
import petrichor.movement.backups.RowsOwner;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.services.blobs.s3.S3Address;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

class S3TargetTest {
    private static final DatabaseName SHOP = new DatabaseName("shop", "");
    private static final DatabaseName SCRATCH = new DatabaseName("shop", "drill");

    @TempDir Path folder;

    private final RowDatabases databases = new RowDatabases(RoutedStores.of(MemoryStore.open()));
    private final Datastore datastore = new Datastore(databases, TimeSource.SYSTEM);
    private TestBucket bucket;
    private S3Target target;

    @BeforeEach
    void open() throws Exception {
        // Where Amazon's SDK looks first.
        System.setProperty("aws.accessKeyId", TestBucket.KEY);
        System.setProperty("aws.secretAccessKey", TestBucket.SECRET);
        bucket = new TestBucket();
        target = opened();
    }

    /** With short limits, so that a failing server is reported soon. */
    private S3Target opened() {
        return new S3Target(
                S3Address.parse(bucket.place("of/shop")),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5));
    }

    @AfterEach
    void close() {
        target.close();
        bucket.close();
        databases.close();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private void put(int from, int to) {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId(SHOP.project())
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = from; i < to; i++) {
            Key key =
                    Key.newBuilder()
                            .setPartitionId(SHOP.partition(""))
                            .addPath(
                                    Key.PathElement.newBuilder()
                                            .setKind("Item")
                                            .setName("secret-name-" + i))
                            .build();
            commit.addMutations(
                    Mutation.newBuilder()
                            .setUpsert(
                                    Entity.newBuilder()
                                            .setKey(key)
                                            .putProperties(
                                                    "value",
                                                    Value.newBuilder()
                                                            .setIntegerValue(i)
                                                            .build())));
        }
        var _ = datastore.commit(commit.build()).join();
    }

    private RowsResponse ask(RowsRequest request) {
        String name = request.getDatabase();
        int slash = name.indexOf('/');
        return new DatabaseRows(
                        slash < 0
                                ? datastore.databases().open(name, "")
                                : datastore
                                        .databases()
                                        .open(name.substring(0, slash), name.substring(slash + 1)))
                .ask(request);
    }

    private BackupSets sets(BackupTarget where) {
        return new BackupSets(where, SHOP, key());
    }

    private BackupKey key() {
        Path file = folder.resolve("key");
        return file.toFile().exists() ? BackupKey.read(file) : BackupKey.create(file);
    }

    private long backUp(RowsOwner owner) {
        return new BackupRun(
                        owner,
                        sets(target),
                        new BackupRun.Options(true, BackupRun.Options.CONSUMER, 1),
                        (_, _, _) -> {})
                .run()
                .set()
                .version();
    }

    private BackupDrill.Report drill(long version) {
        return new BackupDrill(
                        this::ask,
                        sets(target),
                        new BackupDrill.Plan(version, SCRATCH, false),
                        (_, _, _) -> {})
                .run();
    }

    private BackupCheck.Report check() {
        return new BackupCheck(sets(target), (_, _, _) -> {}).run();
    }

    @Test
    void encryptedBackupsAreRestoredFromTheBucket() throws Exception {
        put(0, 200);
        long first = backUp(this::ask);
        put(150, 300);
        long second = backUp(this::ask);

        assertThat(check().problems()).isEmpty();
        assertThat(check().sets()).isEqualTo(2);
        assertThat(drill(first).passed()).isTrue();
        assertThat(drill(second).passed()).isTrue();
        assertThat(BackupSets.databases(target)).containsExactly(SHOP);
        for (StorageMetadata object : objects()) {
            assertThat(object.getName()).startsWith("of/shop/shop/(default)/");
            assertThat(new String(bytes(object.getName()), StandardCharsets.ISO_8859_1))
                    .doesNotContain("secret-name");
        }
        BackupSets.Found found = sets(target).find();
        assertThat(sets(target).deleteBefore(found, found.sets().getLast())).isEqualTo(1);
        assertThat(check().problems()).isEmpty();
        assertThat(check().sets()).isEqualTo(1);
    }

    private Iterable<? extends StorageMetadata> objects() {
        return bucket.objects.list(
                TestBucket.NAME, ListContainerOptions.Builder.recursive().prefix("of/shop/"));
    }

    private byte[] bytes(String name) throws IOException {
        Blob blob = Objects.requireNonNull(bucket.objects.getBlob(TestBucket.NAME, name));
        try (InputStream in = Objects.requireNonNull(blob.getPayload()).openStream()) {
            return in.readAllBytes();
        }
    }

    @Test
    void aChangedByteAndAMissingObjectAreFound() throws Exception {
        put(0, 50);
        long version = backUp(this::ask);
        for (StorageMetadata object : objects()) {
            String name = object.getName();
            byte[] whole = bytes(name);
            byte[] flipped = whole.clone();
            flipped[flipped.length / 2] ^= 1;
            store(name, flipped);
            assertThat(check().problems()).as(name).isNotEmpty();
            assertThatThrownBy(() -> drill(version)).as(name).hasMessageContaining("damaged");
            bucket.objects.removeBlob(TestBucket.NAME, name);
            assertThat(check().problems()).as(name).isNotEmpty();
            store(name, whole);
        }
        assertThat(check().problems()).isEmpty();
    }

    private void store(String name, byte[] bytes) {
        Blob blob =
                bucket.objects.blobBuilder(name).payload(bytes).contentLength(bytes.length).build();
        var _ = bucket.objects.putBlob(TestBucket.NAME, blob);
    }

    @Test
    void aLongFileIsUploadedInPartsAndAppearsWhenItIsComplete() throws Exception {
        byte[] bytes = new byte[S3Target.PART_BYTES + 1_000_000];
        new Random(1).nextBytes(bytes);
        try (BackupTarget.Upload given = target.write("a/long")) {
            given.stream().write(bytes);
            assertThat(target.list("a")).isEmpty();
        }
        assertThat(target.list("a")).isEmpty();
        try (BackupTarget.Upload upload = target.write("a/long")) {
            for (int at = 0; at < bytes.length; at += 1 << 20) {
                upload.stream().write(bytes, at, Math.min(1 << 20, bytes.length - at));
            }
            upload.complete();
        }
        assertThat(target.list("")).containsExactly("a/long");
        try (InputStream in = target.read("a/long")) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
        target.delete("a/long");
        target.delete("a/long");
        assertThat(target.list("")).isEmpty();
    }

    @Test
    void aServerThatStopsLeavesNoBackup() throws Exception {
        put(0, 300);
        assertThatThrownBy(
                        () ->
                                backUp(
                                        request -> {
                                            if (request.hasScan()) {
                                                bucket.stop();
                                            }
                                            return ask(request);
                                        }))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed -> {
                            assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                            assertThat(failed)
                                    .hasMessageContaining("in the bucket backups")
                                    .hasMessageNotContaining(TestBucket.SECRET);
                        });
        bucket.restart();
        target.close();
        target = opened();
        assertThat(sets(target).find().sets()).isEmpty();
        assertThat(sets(target).find().problems()).isEmpty();
        assertThat(drill(backUp(this::ask)).passed()).isTrue();
    }

    @Test
    void wrongCredentialsAreRefusedAndNotRepeatedInTheMessage() {
        System.setProperty("aws.secretAccessKey", "wrong-secret");
        try (S3Target other = opened()) {
            assertThatThrownBy(() -> other.list(""))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(ErrorCode.PERMISSION_DENIED))
                    .hasMessageNotContaining("wrong-secret");
        }
    }

    @Test
    void placesAreFoldersOrBuckets() {
        assertThat(BackupTargets.open(bucket.place("x"))).hasToString("s3://backups/x");
        assertThat(BackupTargets.open(folder.toString())).hasToString(folder.toString());
        assertThatThrownBy(() -> BackupTargets.open("ftp://host/x"))
                .hasMessageContaining("cannot be stored in ftp://host/x");
    }
}
