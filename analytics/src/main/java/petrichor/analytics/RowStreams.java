package petrichor.analytics;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.sql.entities.KindRows;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Streams rows as the store has them to the worker, which decodes them: one connection and thread
 * per key range. Threads end when their range does, or when the worker closes the connection.
 */
final class RowStreams {
    private static final int PREFIX_BYTES = Long.BYTES;

    /** End of a stream, in place of the number of rows of a block. */
    private static final int END = 0;

    /** Entities that are read together. */
    private static final int ENTITIES_PER_READ = 128;

    private RowStreams() {}

    /** Streams all rows of a table or kind at a version. */
    static void scan(
            Worker worker,
            String id,
            Database database,
            long version,
            SegmentSource source,
            int parts) {
        List<KeyRange> ranges;
        try (Snapshot snapshot = database.snapshotAt(version)) {
            ranges = split(snapshot, source.rows(), parts);
        }
        for (KeyRange range : ranges) {
            Thread.ofVirtual()
                    .name("analytics-scan")
                    .start(
                            () ->
                                    stream(
                                            worker,
                                            id,
                                            out -> {
                                                try (Snapshot snapshot =
                                                        database.snapshotAt(version)) {
                                                    write(snapshot, source, range, out);
                                                }
                                            }));
        }
        for (int part = ranges.size(); part < parts; part++) {
            Thread.ofVirtual().start(() -> stream(worker, id, out -> {}));
        }
    }

    /**
     * Streams changed rows; a null value removes a row.
     *
     * @param rows keys and values of a table
     */
    static void changes(Worker worker, String id, Map<RowKey, byte @Nullable []> rows) {
        Thread.ofVirtual()
                .name("analytics-changes")
                .start(
                        () ->
                                stream(
                                        worker,
                                        id,
                                        out -> {
                                            RowBlock block = new RowBlock(out);
                                            for (var row : rows.entrySet()) {
                                                block.add(row.getKey().key(), row.getValue());
                                            }
                                            block.flush();
                                        }));
    }

    private interface Source {
        void write(DataOutputStream out) throws IOException;
    }

    /** A stream that ends without its end mark fails the load. */
    private static void stream(Worker worker, String id, Source source) {
        try (Wire wire = worker.connect()) {
            wire.out().writeByte(Wire.STREAM);
            wire.putText(id);
            source.write(wire.out());
            wire.out().writeInt(END);
            wire.out().flush();
        } catch (IOException ended) {
            // The worker has ended the load and answers its command.
        }
    }

    private static void write(
            Snapshot snapshot, SegmentSource source, KeyRange range, DataOutputStream out)
            throws IOException {
        RowBlock block = new RowBlock(out);
        List<byte[]> entities = new ArrayList<>(ENTITIES_PER_READ);
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                if (source.kind() == null) {
                    block.add(cursor.key(), cursor.value());
                    continue;
                }
                entities.add(KindRows.entityRow(cursor.key()));
                if (entities.size() == ENTITIES_PER_READ) {
                    addEntities(snapshot, entities, block);
                }
            }
        }
        addEntities(snapshot, entities, block);
        block.flush();
    }

    private static void addEntities(Snapshot snapshot, List<byte[]> keys, RowBlock block)
            throws IOException {
        List<@Nullable Row> rows = snapshot.get(keys);
        for (int i = 0; i < keys.size(); i++) {
            Row row = rows.get(i);
            if (row == null) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "An entry of the index of kinds has no entity; check the database.");
            }
            block.add(keys.get(i), row.value());
        }
        keys.clear();
    }

    /**
     * Ranges of about the same width: between the first and the last key, the bytes after their
     * common prefix are divided like numbers.
     */
    static List<KeyRange> split(Snapshot snapshot, KeyRange rows, int parts) {
        byte[] first = edge(snapshot, rows, Direction.FORWARD);
        byte[] last = edge(snapshot, rows, Direction.REVERSE);
        if (first == null || last == null || parts == 1) {
            return List.of(rows);
        }
        int common = 0;
        while (common < Math.min(first.length, last.length) && first[common] == last[common]) {
            common++;
        }
        long from = number(first, common);
        long width = number(last, common) - from;
        List<KeyRange> ranges = new ArrayList<>(parts);
        byte[] start = rows.from();
        for (int part = 1; part < parts; part++) {
            long at = from + Long.divideUnsigned(width, parts) * part;
            byte[] end = new byte[common + PREFIX_BYTES];
            System.arraycopy(first, 0, end, 0, common);
            for (int i = 0; i < PREFIX_BYTES; i++) {
                end[common + i] = (byte) (at >>> (8 * (PREFIX_BYTES - 1 - i)));
            }
            if (Bytes.compare(start, end) < 0) {
                ranges.add(new KeyRange(start, end));
                start = end;
            }
        }
        ranges.add(new KeyRange(start, rows.to()));
        return ranges;
    }

    private static byte @Nullable [] edge(Snapshot snapshot, KeyRange rows, Direction direction) {
        try (RowCursor cursor = snapshot.scan(rows, direction)) {
            return cursor.next() ? cursor.key() : null;
        }
    }

    private static long number(byte[] key, int from) {
        long number = 0;
        for (int i = from; i < from + PREFIX_BYTES; i++) {
            number = (number << 8) | (i < key.length ? key[i] & 0xFF : 0);
        }
        return number;
    }
}
