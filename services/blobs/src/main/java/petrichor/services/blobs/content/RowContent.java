package petrichor.services.blobs.content;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Content in rows of the project's default database, for stores that several servers share. The key
 * of a chunk is {@code B 8 id index}. Thread-safe.
 */
public final class RowContent implements BlobContent {
    private static final int TYPE = 'B';
    private static final int CHUNK = 8;

    /** Retained history keeps chunks readable for about as long in any case. */
    private static final Duration KEPT = Duration.ofHours(1);

    /** A chunk and what it replaces are in one commit. */
    private static final int DELETED_AT_ONCE = 4;

    private final Supplier<Databases> databases;
    private final int chunkBytes;

    /**
     * @param databases current databases, which a reset replaces
     * @param valueBytesMax longest value that the store accepts
     */
    public RowContent(Supplier<Databases> databases, int valueBytesMax) {
        this.databases = databases;
        int chunk = GRANULE_BYTES;
        // A value is stored with its version and a few bytes of framing.
        while (chunk > valueBytesMax - valueBytesMax / 8) {
            chunk /= 2;
        }
        this.chunkBytes = chunk;
    }

    private Database database(ContentId id) {
        return databases.get().open(id.project());
    }

    static byte[] key(ContentId id, int index) {
        return prefix(id).putInt(index).toBytes();
    }

    private static OrderedWriter prefix(ContentId id) {
        return new OrderedWriter().put(TYPE).put(CHUNK).putEncoded(id.bytes());
    }

    private static KeyRange chunksFrom(ContentId id, int index) {
        return new KeyRange(key(id, index), Bytes.afterPrefix(prefix(id).toBytes()));
    }

    @Override
    public ContentWriter append(ContentId id, long from) {
        if (from % GRANULE_BYTES != 0) {
            throw new IllegalArgumentException("cannot continue at " + from);
        }
        int index = (int) (from / chunkBytes);
        Database database = database(id);
        delete(database, id, index);
        return new ChunkWriter(database, id, index, chunkBytes);
    }

    @Override
    public ContentReader read(ContentId id, long from, long to) {
        return new Chunks(database(id), id, from, to);
    }

    @Override
    public void delete(ContentId id) {
        delete(database(id), id, 0);
    }

    private static void delete(Database database, ContentId id, int from) {
        while (true) {
            try (Snapshot snapshot = database.snapshot()) {
                List<RowWrite> writes = new ArrayList<>();
                try (RowCursor chunks = snapshot.scan(chunksFrom(id, from), Direction.FORWARD)) {
                    while (writes.size() < DELETED_AT_ONCE && chunks.next()) {
                        Row prior = new Row(chunks.key(), chunks.version(), chunks.value());
                        writes.add(new RowWrite(prior.key(), null, prior));
                    }
                }
                if (writes.isEmpty()) {
                    return;
                }
                ChunkWriter.await(ChunkWriter.commit(database, snapshot.version(), writes));
            }
        }
    }

    @Override
    public Duration keptForReaders() {
        return KEPT;
    }

    /** Reads one chunk of each content and skips the others. */
    @Override
    public List<Stored> list(String project) {
        byte[] all = {(byte) TYPE, (byte) CHUNK};
        byte[] end = Bytes.afterPrefix(all);
        byte[] from = all;
        List<Stored> found = new ArrayList<>();
        try (Snapshot snapshot = databases.get().open(project).snapshot()) {
            while (true) {
                try (RowCursor chunks = snapshot.scan(new KeyRange(from, end), Direction.FORWARD)) {
                    if (!chunks.next()) {
                        return found;
                    }
                    OrderedReader key = new OrderedReader(chunks.key(), all.length);
                    ContentId id = new ContentId(project, key.takeLong(), key.takeLong());
                    found.add(new Stored(id, chunks.version()));
                    byte[] next = Bytes.afterPrefix(prefix(id).toBytes());
                    if (next == null) {
                        return found;
                    }
                    from = next;
                }
            }
        }
    }

    @Override
    public void close() {}

    /** Reads each chunk at the newest version: chunks in use do not change. */
    private final class Chunks implements ContentReader {
        private final Database database;
        private final ContentId id;
        private final long to;
        private long at;

        Chunks(Database database, ContentId id, long from, long to) {
            this.database = database;
            this.id = id;
            this.at = from;
            this.to = to;
        }

        @Override
        public byte @Nullable [] next() {
            if (at >= to) {
                return null;
            }
            int index = (int) (at / chunkBytes);
            byte[] chunk = chunk(index);
            int from = (int) (at % chunkBytes);
            int until = (int) Math.min(chunk.length, to - (long) index * chunkBytes);
            if (until <= from) {
                throw missing(index);
            }
            at += until - from;
            return java.util.Arrays.copyOfRange(chunk, from, until);
        }

        private byte[] chunk(int index) {
            try (Snapshot snapshot = database.snapshot()) {
                Row row = snapshot.get(key(id, index));
                if (row == null) {
                    throw missing(index);
                }
                return row.value();
            }
        }

        private PetrichorException missing(int index) {
            return PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "chunk {index} of a blob's content is missing; the object was deleted during"
                            + " the read, or the store has lost it",
                    "index",
                    index);
        }

        @Override
        public void close() {}
    }
}
