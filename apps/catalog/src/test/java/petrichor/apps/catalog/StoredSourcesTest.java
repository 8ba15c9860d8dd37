package petrichor.apps.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

class StoredSourcesTest {
    private static final String HASH = "0123456789abcdef".repeat(4);
    private static final String OTHER = "fedcba9876543210".repeat(4);
    private static final int VALUE_BYTES = 1 << 20;

    @TempDir private Path folder;
    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private long laterMicros;
    private final TimeSource time =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return TimeSource.SYSTEM.epochMicros() + laterMicros;
                }

                @Override
                public long monotonicNanos() {
                    return TimeSource.SYSTEM.monotonicNanos();
                }
            };
    private final StoredSources sources =
            new StoredSources(this::system, VALUE_BYTES, time, random());

    private static Random random() {
        return new Random(7);
    }

    private petrichor.transactions.Database system() {
        return databases.open("$system");
    }

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private byte[] put(String hash, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        random().nextBytes(content);
        Path archive = folder.resolve(hash);
        Files.write(archive, content);
        sources.put(hash, archive);
        return content;
    }

    private byte[] get(String hash) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(sources.get(hash, out)).isTrue();
        return out.toByteArray();
    }

    private int rows() {
        int count = 0;
        try (Snapshot snapshot = system().snapshot();
                RowCursor cursor = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private void later(Duration duration) {
        laterMicros += duration.toNanos() / 1_000;
    }

    @Test
    void whatIsStoredIsRead() throws Exception {
        assertThat(sources.get(HASH, new ByteArrayOutputStream())).isFalse();
        byte[] large = put(HASH, 3_000_001);
        byte[] small = put(OTHER, 1);
        assertThat(get(HASH)).isEqualTo(large);
        assertThat(get(OTHER)).isEqualTo(small);
        int rows = rows();
        put(HASH, 3_000_001);
        assertThat(rows()).as("stored once").isEqualTo(rows);
    }

    @Test
    void archivesThatNoVersionUsesAreRemovedADayAfterTheirLastUse() throws Exception {
        byte[] used = put(HASH, 600_000);
        put(OTHER, 600_000);
        assertThat(sources.collect(Set.of(HASH))).isZero();
        later(Duration.ofHours(20));
        put(OTHER, 600_000);
        later(Duration.ofHours(20));
        assertThat(sources.collect(Set.of(HASH))).as("used 20 hours ago").isZero();
        later(Duration.ofHours(5));
        assertThat(sources.collect(Set.of(HASH))).isEqualTo(1);
        assertThat(get(HASH)).isEqualTo(used);
        assertThat(sources.get(OTHER, new ByteArrayOutputStream())).isFalse();
        assertThat(sources.collect(Set.of())).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    @Test
    void anInterruptedUploadIsNotReadAndIsRemoved() throws Exception {
        Path missing = folder.resolve("missing");
        StoredSources failing =
                new StoredSources(
                        () -> {
                            if (rows() > 2) {
                                throw new IllegalStateException("killed");
                            }
                            return system();
                        },
                        VALUE_BYTES,
                        time,
                        random());
        Files.write(missing, new byte[3_000_000]);
        assertThatThrownBy(() -> failing.put(HASH, missing)).hasMessage("killed");
        assertThat(rows()).as("chunks were written").isGreaterThan(2);
        assertThat(sources.get(HASH, new ByteArrayOutputStream())).isFalse();
        later(Duration.ofHours(25));
        assertThat(sources.collect(Set.of(HASH))).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    @Test
    void archivesAreLimited() throws Exception {
        Path archive = folder.resolve("large");
        try (var file = new java.io.RandomAccessFile(archive.toFile(), "rw")) {
            file.setLength(StoredSources.BYTES_MAX + 1);
        }
        assertThatThrownBy(() -> sources.put(HASH, archive))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("536870912");
    }
}
