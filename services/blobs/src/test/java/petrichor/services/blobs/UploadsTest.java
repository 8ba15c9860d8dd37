package petrichor.services.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Checksums;

class UploadsTest {
    private static final int GRANULE = BlobContent.GRANULE_BYTES;
    private static final NewObject WANTED = NewObject.of(ObjectAttributes.ofType("a/b"));

    @TempDir private Path folder;
    private BlobHome home;
    private final byte[] bytes = new byte[3 * GRANULE + 123];

    @BeforeEach
    void open() {
        home = opened();
        home.blobs.buckets().create("one", "plain", false, "");
        new Random(1).nextBytes(bytes);
    }

    private BlobHome opened() {
        return new BlobHome(RocksStore.open(folder.resolve("rows")), folder.resolve("blobs"));
    }

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

    private Upload send(Upload upload, int from, int to) {
        try (UploadWriter writer = home.blobs.uploads().append(upload, from)) {
            writer.write(bytes, from, to - from);
            return writer.suspend();
        }
    }

    private BlobObject sendRest(Upload upload, int from) {
        try (UploadWriter writer = home.blobs.uploads().append(upload, from)) {
            writer.write(bytes, from, bytes.length - from);
            return writer.complete();
        }
    }

    private void requireComplete(BlobObject object) {
        assertThat(home.read(object)).isEqualTo(bytes);
        Checksums sums = new Checksums();
        sums.update(bytes, 0, bytes.length);
        assertThat(object.content().md5()).isEqualTo(sums.md5());
        assertThat(object.content().crc32c()).isEqualTo(sums.crc32c());
        assertThat(home.blobs.objects().get("plain", "a", null)).isEqualTo(object);
    }

    private Upload restarted(Upload upload) {
        home.close();
        home = opened();
        return home.blobs.uploads().get("plain", upload.id());
    }

    @Test
    void anObjectArrivesInSeveralRequests() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, (long) bytes.length);
        Upload first = send(upload, 0, GRANULE);
        assertThat(first.received()).isEqualTo(GRANULE);
        Upload second = send(first, GRANULE, 2 * GRANULE + 77);
        assertThat(second.received()).as("down to the granule").isEqualTo(2L * GRANULE);
        assertThat(home.blobs.objects().find("plain", "a", null)).isEmpty();
        requireComplete(sendRest(second, 2 * GRANULE));
        assertThat(home.blobs.uploads().get("plain", upload.id()).complete()).isTrue();
    }

    @Test
    void anUploadSurvivesARestart() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        Upload after = restarted(send(upload, 0, 2 * GRANULE));
        assertThat(after.received()).isEqualTo(2L * GRANULE);
        requireComplete(sendRest(after, 2 * GRANULE));
        Upload finished = restarted(after);
        assertThat(finished.generation())
                .isEqualTo(home.blobs.objects().get("plain", "a", null).generation());
    }

    @Test
    void bytesThatWereReceivedAreSkipped() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        Upload first = send(upload, 0, GRANULE);
        requireComplete(sendRest(first, 5));
    }

    @Test
    void aGapIsRefused() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        assertThat(code(() -> home.blobs.uploads().append(upload, 1)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void whatARequestDidNotAcknowledgeIsSentAgain() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        try (UploadWriter lost = home.blobs.uploads().append(upload, 0)) {
            lost.write(new byte[2 * GRANULE], 0, 2 * GRANULE); // other bytes
        }
        requireComplete(sendRest(restarted(upload), 0));
    }

    @Test
    void aSecondRequestTakesOver() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        try (UploadWriter first = home.blobs.uploads().append(upload, 0)) {
            first.write(new byte[GRANULE], 0, GRANULE);
            BlobObject object = sendRest(upload, 0);
            assertThat(code(() -> first.write(new byte[1], 0, 1))).isEqualTo(ErrorCode.ABORTED);
            assertThat(code(first::suspend)).isEqualTo(ErrorCode.ABORTED);
            assertThat(code(first::complete)).isEqualTo(ErrorCode.ABORTED);
            requireComplete(object);
        }
    }

    @Test
    void aRequestForAnEarlierStateIsRefused() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        Upload first = send(upload, 0, GRANULE);
        Upload second = send(first, GRANULE, 2 * GRANULE);
        // As on another server, which has read the state before.
        assertThat(code(() -> send(first, GRANULE, 2 * GRANULE))).isEqualTo(ErrorCode.ABORTED);
        requireComplete(sendRest(second, 2 * GRANULE));
    }

    @Test
    void otherChecksumsThanAnnouncedAtTheEndAreRefused() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        try (UploadWriter writer = home.blobs.uploads().append(upload, 0)) {
            writer.write(bytes, 0, bytes.length);
            assertThat(code(() -> writer.complete(new ExpectedChecksums(1, ""))))
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(home.blobs.objects().find("plain", "a", null)).isEmpty();
    }

    @Test
    void anotherSizeThanAnnouncedIsRefused() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, 5L);
        assertThat(code(() -> sendRest(upload, 0))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(home.blobs.objects().find("plain", "a", null)).isEmpty();
    }

    @Test
    void anEmptyObjectIsUploaded() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, 0L);
        try (UploadWriter writer = home.blobs.uploads().append(upload, 0)) {
            assertThat(writer.complete().bytes()).isZero();
        }
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void anUploadExpires() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        send(upload, 0, GRANULE);
        home.pass(Uploads.EXPIRY);
        assertThat(code(() -> home.blobs.uploads().get("plain", upload.id())))
                .isEqualTo(ErrorCode.NOT_FOUND);
        home.blobs.collector().collect();
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void aCancelledUploadLeavesNothing() {
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        send(upload, 0, GRANULE);
        home.blobs.uploads().cancel(upload);
        assertThat(code(() -> home.blobs.uploads().get("plain", upload.id())))
                .isEqualTo(ErrorCode.NOT_FOUND);
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void anUploadBelongsToItsBucket() {
        home.blobs.buckets().create("one", "second", false, "");
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        assertThat(code(() -> home.blobs.uploads().get("second", upload.id())))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void contentThatACrashLeftIsCollected() {
        home.put("plain", "kept", "text");
        // A request that never came to its end, as after kill -9.
        Upload upload = home.blobs.uploads().start("plain", "a", WANTED, null);
        send(upload, 0, GRANULE);
        var orphan =
                home.content.append(
                        petrichor.services.blobs.content.ContentId.next("one", new Random()), 0);
        orphan.write(Arrays.copyOf(bytes, GRANULE), 0, GRANULE);
        orphan.close();
        restarted(upload);
        home.blobs.collector().collectOrphans();
        assertThat(home.content.list("one")).as("it may be a request's").hasSize(3);
        home.pass(Collector.ORPHAN_AGE.plusSeconds(60));
        home.blobs.collector().collectOrphans();
        assertThat(home.content.list("one")).hasSize(2);
        assertThat(home.text("plain", "kept")).isEqualTo("text");
    }

    @Test
    void contentThatIsBeingWrittenIsNotCollected() {
        try (ObjectWriter slow = home.blobs.objects().create("plain", "a", WANTED)) {
            slow.write(bytes, 0, 2 * GRANULE);
            home.pass(Collector.ORPHAN_AGE.plusHours(1));
            home.blobs.collector().collectOrphans();
            slow.write(bytes, 2 * GRANULE, bytes.length - 2 * GRANULE);
            requireComplete(slow.finish());
        }
    }
}
