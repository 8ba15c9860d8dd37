package petrichor.apps.catalog;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.stored.StoredUpload;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Archives of sources in rows of the system database, by the content hash of the sources, so that
 * each server of a cluster can build each version. An archive is an upload with a random id: its
 * row, and its chunks. Only complete uploads are read. Those that no version uses are removed a day
 * after their last use, so that a deployment never loses what it has just stored. Thread-safe;
 * blocks.
 */
public final class StoredSources {
    /** Of an archive; as many as a deployment may send. */
    public static final long BYTES_MAX = 512L << 20;

    /** Rows of type {@code H}. */
    private static final int TYPE = 'H';

    private static final int UPLOAD = 1;
    private static final int CHUNK = 2;

    private static final int CHUNK_BYTES = 256 << 10;
    private static final int CHUNKS_AT_ONCE = 4;
    private static final int ATTEMPTS_MAX = 10;

    /** Longer than any deployment takes. */
    private static final Duration UNUSED_MAX = Duration.ofDays(1);

    private final Supplier<Database> database;
    private final int chunkBytes;
    private final TimeSource time;
    private final RandomGenerator random;

    /**
     * @param database the system database, on every server
     * @param valueBytesMax longest value that the store accepts
     */
    public StoredSources(
            Supplier<Database> database,
            int valueBytesMax,
            TimeSource time,
            RandomGenerator random) {
        this.database = database;
        // A value is stored with its version and a few bytes of framing.
        this.chunkBytes = Math.min(CHUNK_BYTES, valueBytesMax - valueBytesMax / 8);
        this.time = time;
        this.random = random;
    }

    /** A row of an upload. */
    private record Upload(Row row, String hash, long id, StoredUpload stored) {
        static Upload of(Row row) {
            OrderedReader key = new OrderedReader(row.key(), 2);
            try {
                return new Upload(
                        row, key.takeString(), key.takeLong(), StoredUpload.parseFrom(row.value()));
            } catch (InvalidProtocolBufferException damaged) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL, damaged, "the row of an app's sources cannot be read");
            }
        }

        boolean isComplete() {
            return stored.getComplete();
        }
    }

    /** All uploads, or those of a hash. */
    private static OrderedWriter uploads() {
        return new OrderedWriter().put(TYPE).put(UPLOAD);
    }

    private static OrderedWriter chunks(long upload) {
        return new OrderedWriter().put(TYPE).put(CHUNK).putLong(upload);
    }

    private static byte[] chunk(long upload, int index) {
        return chunks(upload).putInt(index).toBytes();
    }

    private static List<Upload> uploads(Snapshot snapshot, byte[] prefix) {
        List<Upload> found = new ArrayList<>();
        try (RowCursor rows = snapshot.scan(KeyRange.ofPrefix(prefix), Direction.FORWARD)) {
            while (rows.next()) {
                found.add(Upload.of(new Row(rows.key(), rows.version(), rows.value())));
            }
        }
        return found;
    }

    private static Optional<Upload> complete(Snapshot snapshot, String hash) {
        return uploads(snapshot, uploads().putString(hash).toBytes()).stream()
                .filter(Upload::isComplete)
                .findFirst();
    }

    /** Stores an archive unless there is one of this hash. It stays for a day at least. */
    public void put(String hash, Path archive) {
        if (used(hash)) {
            return;
        }
        try (InputStream in = Files.newInputStream(archive)) {
            if (Files.size(archive) > BYTES_MAX) {
                throw PetrichorException.invalid(
                        "the sources have more than {bytesMax} bytes, compressed; ignore files that"
                                + " the app does not need",
                        "bytesMax",
                        BYTES_MAX);
            }
            upload(hash, in);
        } catch (IOException e) {
            throw FileProblem.of("cannot read the archive of sources", e);
        }
    }

    /** Whether there is an archive; its last use is now. */
    private boolean used(String hash) {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.get().snapshot()) {
                Optional<Upload> known = complete(snapshot, hash);
                if (known.isEmpty()) {
                    return false;
                }
                Upload upload = known.get();
                StoredUpload now =
                        upload.stored().toBuilder().setMicros(time.epochMicros()).build();
                if (written(snapshot, upload.row().key(), now, upload.row())) {
                    return true;
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED, "others deploy the same sources; retry later");
    }

    private void upload(String hash, InputStream archive) throws IOException {
        long id = random.nextLong();
        byte[] key = uploads().putString(hash).putLong(id).toBytes();
        StoredUpload begun = StoredUpload.newBuilder().setMicros(time.epochMicros()).build();
        write(key, begun);
        int index = 0;
        List<RowWrite> writes = new ArrayList<>();
        for (byte[] next = archive.readNBytes(chunkBytes);
                next.length > 0;
                next = archive.readNBytes(chunkBytes)) {
            writes.add(new RowWrite(chunk(id, index++), next, null));
            if (writes.size() == CHUNKS_AT_ONCE) {
                commit(writes);
                writes = new ArrayList<>();
            }
        }
        commit(writes);
        write(key, begun.toBuilder().setChunks(index).setComplete(true).build());
    }

    private void write(byte[] key, StoredUpload value) {
        try (Snapshot snapshot = database.get().snapshot()) {
            if (!written(snapshot, key, value, snapshot.get(key))) {
                throw PetrichorException.of(
                        ErrorCode.ABORTED, "another server removed the sources; deploy again");
            }
        }
    }

    /**
     * Writes the archive of this hash.
     *
     * @return false if there is none
     */
    public boolean get(String hash, OutputStream out) throws IOException {
        try (Snapshot snapshot = database.get().snapshot()) {
            Optional<Upload> known = complete(snapshot, hash);
            if (known.isEmpty()) {
                return false;
            }
            int count = 0;
            try (RowCursor rows =
                    snapshot.scan(
                            KeyRange.ofPrefix(chunks(known.get().id()).toBytes()),
                            Direction.FORWARD)) {
                while (rows.next()) {
                    out.write(rows.value());
                    count++;
                }
            }
            if (count != known.get().stored().getChunks()) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "the stored sources {hash} have {count} of {chunks} chunks; deploy the app"
                                + " again",
                        "hash",
                        hash,
                        "count",
                        count,
                        "chunks",
                        known.get().stored().getChunks());
            }
            return true;
        }
    }

    /** Whether this server orders the commits of the system database: one server at most. */
    public boolean isOwnedHere() {
        return database.get().sequencedHere();
    }

    /**
     * Removes archives that no version uses.
     *
     * @param used hashes of the sources of all versions
     * @return how many were removed
     */
    public int collect(Set<String> used) {
        long unused =
                time.epochMicros() - UNUSED_MAX.truncatedTo(ChronoUnit.MICROS).toNanos() / 1_000;
        List<Upload> all;
        try (Snapshot snapshot = database.get().snapshot()) {
            all = uploads(snapshot, uploads().toBytes());
        }
        int removed = 0;
        for (Upload upload : all) {
            boolean needed = upload.isComplete() && used.contains(upload.hash());
            if (!needed && upload.stored().getMicros() < unused && removed(upload)) {
                removed++;
            }
        }
        return removed;
    }

    /** Incomplete from now on, so that no deployment uses it while its chunks go. */
    private boolean removed(Upload upload) {
        byte[] key = upload.row().key();
        try (Snapshot snapshot = database.get().snapshot()) {
            Row now = snapshot.get(key);
            if (now == null || now.version() != upload.row().version()) {
                return false;
            }
            StoredUpload incomplete = upload.stored().toBuilder().setComplete(false).build();
            if (!written(snapshot, key, incomplete, now)) {
                return false;
            }
        }
        boolean more = true;
        while (more) {
            more = deletedSome(chunks(upload.id()).toBytes());
        }
        return deletedSome(key);
    }

    /** Whether there were rows with this prefix. */
    private boolean deletedSome(byte[] prefix) {
        try (Snapshot snapshot = database.get().snapshot()) {
            List<RowWrite> writes = new ArrayList<>();
            try (RowCursor rows = snapshot.scan(KeyRange.ofPrefix(prefix), Direction.FORWARD)) {
                while (writes.size() < CHUNKS_AT_ONCE && rows.next()) {
                    Row prior = new Row(rows.key(), rows.version(), rows.value());
                    writes.add(new RowWrite(prior.key(), null, prior));
                }
            }
            return !writes.isEmpty() && committed(snapshot.version(), writes);
        }
    }

    private void commit(List<RowWrite> writes) {
        if (writes.isEmpty()) {
            return;
        }
        try (Snapshot snapshot = database.get().snapshot()) {
            if (!committed(snapshot.version(), writes)) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL, "the random id of an upload is in use already");
            }
        }
    }

    private boolean written(
            Snapshot snapshot, byte[] key, StoredUpload value, @Nullable Row prior) {
        return committed(
                snapshot.version(), List.of(new RowWrite(key, value.toByteArray(), prior)));
    }

    /** False if another server changed one of the rows. */
    private boolean committed(long version, List<RowWrite> writes) {
        CommitRequest request =
                new CommitRequest(
                        version,
                        List.of(),
                        List.of(),
                        writes.stream().map(RowWrite::key).toList(),
                        writes);
        return switch (database.get().commit(request).join()) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ -> false;
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }
}
