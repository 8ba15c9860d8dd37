package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/** Damaged bytes on the disk are reported, never taken for data or for its end. */
class DamageTest {
    private static final int ROWS = 200;

    @TempDir Path folder;

    @Test
    void damageWithinTheLogIsAnErrorAndNotTheEndOfTheLog() throws IOException {
        writeRows();
        Path log = file("*.log");
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length / 2] ^= 0x10;
        Files.write(log, bytes);
        assertDamage(() -> RocksStore.open(folder).close());
    }

    @Test
    void aTruncatedAcknowledgedRecordIsALoss() throws IOException {
        writeRows();
        Path log = file("*.log");
        byte[] bytes = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(bytes, bytes.length - 5));
        assertDamage(() -> RocksStore.open(folder).close());
    }

    @Test
    void tornLastRecordIsACrashAndTheRestIsRead() throws IOException {
        writeRows();
        Path log = file("*.log");
        byte[] bytes = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(bytes, bytes.length - 5));
        // The state after a power failure: the last row was not acknowledged.
        AcknowledgedWrites.start(folder, ROWS - 1).close();
        try (RocksStore store = RocksStore.open(folder)) {
            assertThat(store.get("rows", key(ROWS - 2))).isNotNull();
            assertThat(store.get("rows", key(ROWS - 1))).isNull();
        }
    }

    @Test
    void damageWithinATableFileIsAnErrorOfTheReadThatFindsIt() throws IOException {
        writeRows();
        // Replaying the log turns it into a table file.
        RocksStore.open(folder).close();
        Path table = file("*.sst");
        byte[] bytes = Files.readAllBytes(table);
        Arrays.fill(bytes, bytes.length / 4, bytes.length / 4 + 64, (byte) 0x5A);
        Files.write(table, bytes);
        assertDamage(
                () -> {
                    try (RocksStore store = RocksStore.open(folder);
                            Scan scan = store.scan("rows", KeyRange.ALL, Direction.FORWARD, ROWS)) {
                        while (scan.next()) {
                            assertThat(scan.value()).hasSize(1000);
                        }
                    }
                });
    }

    @Test
    void fileInPlaceOfTheFolderIsRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> RocksStore.open(file))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessageContaining(file.toString());
    }

    private void writeRows() {
        try (RocksStore store = RocksStore.open(folder)) {
            store.createTable("rows");
            SplittableRandom random = new SplittableRandom(3);
            for (int i = 0; i < ROWS; i++) {
                byte[] value = new byte[1000];
                random.nextBytes(value);
                store.write(new WriteBatch().put("rows", key(i), value));
            }
        }
    }

    private static byte[] key(int number) {
        return String.format("%04d", number).getBytes(UTF_8);
    }

    /** The largest file that matches the pattern. */
    private Path file(String form) throws IOException {
        Path greatest = null;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, form)) {
            for (Path file : files) {
                if (greatest == null || Files.size(file) > Files.size(greatest)) {
                    greatest = file;
                }
            }
        }
        assertThat(greatest).as("a file " + form).isNotNull();
        return Objects.requireNonNull(greatest);
    }

    private void assertDamage(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.INTERNAL))
                .hasMessageContaining(folder.toString())
                .hasMessageContaining("backup");
    }
}
