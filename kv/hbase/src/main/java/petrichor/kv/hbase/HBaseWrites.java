package petrichor.kv.hbase;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import petrichor.base.Bytes;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/**
 * Applies batches of changes. Computes the effect of a batch on each row first, so that each row is
 * written once and rows may be written in any order. Only deletions of a range's rows are sent
 * while the range is read, since it may be large.
 *
 * <p>Thread-safe.
 */
final class HBaseWrites {
    private final HBaseConnection connection;
    private final HBaseTables tables;
    private final Capabilities limits;
    private final InstantSource clock;

    HBaseWrites(
            HBaseConnection connection,
            HBaseTables tables,
            Capabilities limits,
            InstantSource clock) {
        this.connection = connection;
        this.tables = tables;
        this.limits = limits;
        this.clock = clock;
    }

    /** The resulting change of each row in one batch, by table and key. */
    private record Changes(Map<String, NavigableMap<Bytes, Put>> byTable) {
        void put(String table, byte[] key, Put put) {
            of(table).put(Bytes.of(key), put);
        }

        /** Also deletes earlier puts of this batch into the range. */
        void deleteRange(String table, KeyRange range, Instant now) {
            byte[] to = range.to();
            NavigableMap<Bytes, Put> from = of(table).tailMap(Bytes.of(range.from()), true);
            NavigableMap<Bytes, Put> within = to == null ? from : from.headMap(Bytes.of(to), false);
            within.replaceAll(
                    (key, put) -> StoredRow.tombstone(key.array(), StoredRow.timestamp(put), now));
        }

        private NavigableMap<Bytes, Put> of(String table) {
            return byTable.computeIfAbsent(table, _ -> new TreeMap<>());
        }
    }

    /**
     * Writes unversioned rows. Each gets a timestamp that is at least that of the row that it
     * replaces, whose writer's clock may have been ahead; so these rows are read first.
     */
    void write(WriteBatch batch) {
        requireFits(batch);
        Timestamps timestamps = timestamps(batch);
        Instant now = clock.instant();
        Changes changes = new Changes(new TreeMap<>());
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                        changes.put(
                                table,
                                key,
                                StoredRow.put(key, timestamps.replacing(table, key), value));
                case WriteBatch.Delete(String table, byte[] key) ->
                        changes.put(
                                table,
                                key,
                                StoredRow.tombstone(key, timestamps.replacing(table, key), now));
                case WriteBatch.DeleteRange(String table, KeyRange range) -> {
                    changes.deleteRange(table, range, now);
                    deleteAll(table, range, now);
                }
            }
        }
        send(changes);
    }

    /** The timestamp for an unversioned row, if no row of the key exists. */
    long unversioned(String table, byte[] key) {
        return Math.max(micros(), tables.notes(table).deletedRanges().at(key));
    }

    private long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    }

    private final class Timestamps {
        private final Map<String, Map<Bytes, Long>> stored = new TreeMap<>();

        long replacing(String table, byte[] key) {
            long there =
                    stored.getOrDefault(table, Map.of())
                            .getOrDefault(Bytes.of(key), Long.MIN_VALUE);
            return Math.max(unversioned(table, key), there);
        }
    }

    private Timestamps timestamps(WriteBatch batch) {
        Map<String, List<byte[]>> keys = new TreeMap<>();
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                        keys.computeIfAbsent(table, _ -> new ArrayList<>()).add(key);
                case WriteBatch.Delete(String table, byte[] key) ->
                        keys.computeIfAbsent(table, _ -> new ArrayList<>()).add(key);
                case WriteBatch.DeleteRange _ -> {}
            }
        }
        Timestamps timestamps = new Timestamps();
        keys.forEach(
                (table, rows) -> {
                    Map<Bytes, Long> stored = new HashMap<>();
                    for (Result row :
                            connection.await(
                                    connection
                                            .table(table)
                                            .getAll(
                                                    rows.stream()
                                                            .map(StoredRow::getTimestamp)
                                                            .toList()),
                                    table)) {
                        Cell cell = StoredRow.cell(row);
                        if (cell != null) {
                            stored.put(Bytes.of(StoredRow.key(cell)), cell.getTimestamp());
                        }
                    }
                    timestamps.stored.put(table, stored);
                });
        return timestamps;
    }

    private void deleteAll(String table, KeyRange range, Instant now) {
        MutationPipe deletes = new MutationPipe(connection);
        long micros = micros();
        try (HBaseScan rows = scan(table, range)) {
            while (rows.next()) {
                deletes.add(
                        table,
                        StoredRow.tombstone(rows.key(), Math.max(micros, rows.timestamp()), now));
            }
        }
        deletes.flush();
    }

    /** Writes rows unless newer ones exist. */
    void writeIfNewer(WriteBatch batch, long version) {
        requireFits(batch);
        long timestamp = StoredRow.timestamp(version);
        Instant now = clock.instant();
        Changes changes = new Changes(new TreeMap<>());
        int ranges = 0;
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                        changes.put(table, key, StoredRow.put(key, timestamp, value));
                case WriteBatch.Delete(String table, byte[] key) ->
                        changes.put(table, key, StoredRow.tombstone(key, timestamp, now));
                case WriteBatch.DeleteRange(String table, KeyRange range) -> {
                    if (!range.isEmpty()) {
                        changes.deleteRange(table, range, now);
                        deleteOlder(table, range, timestamp, now);
                        tables.notes(table).deleteRange(range, timestamp, ranges++);
                    }
                }
            }
        }
        send(changes);
    }

    /**
     * Deletes the current rows of the range: to free space, since the note that follows hides them
     * permanently; and rows of this very version, which the note does not cover. Rows under a note
     * may be removed by HBase's own deletes, which the next compaction drops.
     */
    private void deleteOlder(String table, KeyRange range, long timestamp, Instant now) {
        MutationPipe deletes = new MutationPipe(connection);
        try (HBaseScan rows = scan(table, range)) {
            while (rows.next()) {
                if (rows.timestamp() < timestamp) {
                    deletes.add(table, StoredRow.removal(rows.key(), rows.timestamp()));
                } else if (rows.timestamp() == timestamp) {
                    deletes.add(table, StoredRow.tombstone(rows.key(), timestamp, now));
                }
            }
        }
        deletes.flush();
    }

    private HBaseScan scan(String table, KeyRange range) {
        return new HBaseScan(
                connection,
                tables.notes(table),
                table,
                range,
                Direction.FORWARD,
                Integer.MAX_VALUE,
                HBaseScan.Wanted.KEYS);
    }

    private void requireFits(WriteBatch batch) {
        connection.requireOpen();
        StoreFailures.requireFits(batch, limits);
        for (WriteBatch.Op op : batch.ops()) {
            tables.require(op.table());
        }
    }

    private void send(Changes changes) {
        MutationPipe pipe = new MutationPipe(connection);
        changes.byTable.forEach(
                (table, rows) -> rows.values().forEach(row -> pipe.add(table, row)));
        pipe.flush();
    }
}
