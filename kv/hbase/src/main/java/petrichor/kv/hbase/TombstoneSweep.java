package petrichor.kv.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import petrichor.base.PetrichorException;

/**
 * Removes obsolete tombstones, which would otherwise accumulate: those older than a day, since no
 * change of a former owner is in flight that long. Replaces them by HBase's own deletes, which the
 * next major compaction drops.
 *
 * <p>A dedicated thread checks each table once a day; of several processes, the first one that is
 * due claims it. Failures are retried at the next check.
 */
final class TombstoneSweep implements AutoCloseable {
    static final Duration AGE = Duration.ofDays(1);

    private static final Duration INTERVAL = Duration.ofDays(1);
    private static final Duration POLL_INTERVAL = Duration.ofMinutes(10);
    private static final int REQUEST_ROWS = 500;
    private static final byte[] DUE = {'s'};
    private static final Logger LOG = Logger.getLogger(TombstoneSweep.class.getName());

    private final HBaseConnection connection;
    private final HBaseTables tables;
    private final InstantSource clock;
    private final Thread thread;

    TombstoneSweep(HBaseConnection connection, HBaseTables tables, InstantSource clock) {
        this.connection = connection;
        this.tables = tables;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("petrichor-hbase-sweep").unstarted(this::run);
    }

    static TombstoneSweep start(
            HBaseConnection connection, HBaseTables tables, InstantSource clock) {
        TombstoneSweep sweep = new TombstoneSweep(connection, tables, clock);
        sweep.thread.start();
        return sweep;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(POLL_INTERVAL);
                for (String table : tables.seen()) {
                    sweepIfDue(table);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    void sweepIfDue(String table) {
        try {
            if (claim(table)) {
                long swept = sweep(connection, table, clock.instant().minus(AGE));
                LOG.log(
                        Level.FINE,
                        "removed {0} tombstones of table {1}",
                        new Object[] {swept, table});
            }
        } catch (PetrichorException failed) {
            LOG.log(
                    Level.FINE,
                    "removing the tombstones of table {0} failed; retrying later: {1}",
                    new Object[] {table, failed});
        }
    }

    /** Whether the sweep is due and no other process has claimed it. */
    private boolean claim(String table) {
        byte[] row = StoredRow.note(DUE);
        Cell due =
                StoredRow.cell(
                        connection.await(
                                connection.table(table).get(StoredRow.getNote(DUE)), table));
        Instant now = clock.instant();
        byte[] next =
                ByteBuffer.allocate(Long.BYTES).putLong(now.plus(INTERVAL).toEpochMilli()).array();
        long timestamp = due == null ? 1 : due.getTimestamp();
        Put put = StoredRow.note(DUE, timestamp, next);
        CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row);
        if (due == null) {
            check.ifNotExists(StoredRow.FAMILY, StoredRow.COLUMN);
        } else if (now.isBefore(dueAt(due))) {
            return false;
        } else {
            check.ifEquals(StoredRow.FAMILY, StoredRow.COLUMN, CellUtil.cloneValue(due));
        }
        boolean taken =
                connection
                        .await(connection.table(table).checkAndMutate(check.build(put)), table)
                        .isSuccess();
        return taken && due != null;
    }

    private static Instant dueAt(Cell due) {
        byte[] value = StoredRow.value(due);
        return value == null
                ? Instant.EPOCH
                : Instant.ofEpochMilli(ByteBuffer.wrap(value).getLong());
    }

    /** Removes rows deleted before this time; returns their number. */
    static long sweep(HBaseConnection connection, String table, Instant before) {
        Scan tombstones =
                new Scan()
                        .withStartRow(StoredRow.row(new byte[0]))
                        .withStopRow(StoredRow.afterRows())
                        .addColumn(StoredRow.FAMILY, StoredRow.COLUMN)
                        .setFilter(StoredRow.tombstonesOnly())
                        .setCaching(REQUEST_ROWS)
                        .setCacheBlocks(false);
        long swept = 0;
        List<CheckAndMutate> removals = new ArrayList<>();
        try (ResultScanner rows = connection.table(table).getScanner(tombstones)) {
            for (Result row = rows.next(); row != null; row = rows.next()) {
                Cell cell = row.rawCells()[0];
                if (StoredRow.tombstoneWrittenAt(cell).isBefore(before)) {
                    removals.add(removal(cell));
                }
                if (removals.size() == REQUEST_ROWS) {
                    swept += remove(connection, table, removals);
                }
            }
        } catch (IOException failed) {
            throw connection.failure(table, failed);
        }
        return swept + remove(connection, table, removals);
    }

    /** Only if it is still this tombstone: the row may have been put again. */
    private static CheckAndMutate removal(Cell tombstone) {
        return CheckAndMutate.newBuilder(CellUtil.cloneRow(tombstone))
                .ifEquals(StoredRow.FAMILY, StoredRow.COLUMN, CellUtil.cloneValue(tombstone))
                .build(StoredRow.removal(StoredRow.key(tombstone), tombstone.getTimestamp()));
    }

    private static long remove(
            HBaseConnection connection, String table, List<CheckAndMutate> removals) {
        if (removals.isEmpty()) {
            return 0;
        }
        List<CheckAndMutateResult> results =
                connection.await(
                        connection.table(table).checkAndMutateAll(List.copyOf(removals)), table);
        removals.clear();
        return results.stream().filter(CheckAndMutateResult::isSuccess).count();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
