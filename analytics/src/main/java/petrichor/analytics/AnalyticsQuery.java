package petrichor.analytics;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.sql.AnalyticsEngine;
import petrichor.sql.ResultColumn;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.ColumnType;
import petrichor.tables.TableTransfer;

/**
 * One query in the worker. Its rows are read from the connection as they are needed: the worker
 * waits while the socket is full. Confined to one thread, except {@link #cancel}.
 */
final class AnalyticsQuery implements AnalyticsEngine.Execution {
    /** How often a query that waits for the segments of its database looks for a cancellation. */
    private static final long LOCK_WAIT_MS = 50;

    /** Each column is widened twice at most, but all of them together at the first scan. */
    private static final int WIDENINGS_MAX = 5;

    /** PostgreSQL's disk_full. */
    private static final String DISK_FULL = "53100";

    private final Analytics analytics;
    private final AnalyticsEngine.Query query;
    private QuerySources sources;
    private final long deadlineNanos;
    private List<ColumnType> types = List.of();
    private int remaining;
    private @Nullable Object[] row = {};
    private boolean ended;
    private volatile boolean canceled;
    private volatile @Nullable WorkerLink link;

    AnalyticsQuery(Analytics analytics, AnalyticsEngine.Query query) {
        this.analytics = analytics;
        this.query = query;
        this.sources = new QuerySources(List.of(), List.of());
        long timeoutMs = query.settings().timeout().toMillis();
        this.deadlineNanos =
                timeoutMs == 0 ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    @Override
    public List<ResultColumn> start() {
        return columns(pinned(Wire.Purpose.ROWS));
    }

    /** Sends the query; what it reads does not change from now on. */
    WorkerLink pinned(Wire.Purpose purpose) {
        sources = analytics.sources(query);
        DatabaseSegments segments = analytics.segments(query);
        WorkerLink opened = open(segments.worker());
        lock(segments);
        try {
            List<String> names = names(segments, opened);
            send(opened, names, purpose);
            opened.expect(Wire.PINNED);
        } finally {
            segments.lock.unlock();
        }
        return opened;
    }

    List<ResultColumn> describe() {
        sources = analytics.sources(query);
        WorkerLink opened = open(analytics.segments(query).worker());
        send(opened, List.of(), Wire.Purpose.COLUMNS);
        return columns(opened);
    }

    private WorkerLink open(Worker worker) {
        WorkerLink opened = WorkerLink.open(worker, query.database().name());
        link = opened;
        if (canceled) {
            throw AnalyticsFailures.canceled();
        }
        return opened;
    }

    private void lock(DatabaseSegments segments) {
        try {
            while (!segments.lock.tryLock(LOCK_WAIT_MS, TimeUnit.MILLISECONDS)) {
                if (canceled) {
                    throw AnalyticsFailures.canceled();
                }
                long _ = remainingMs();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw AnalyticsFailures.canceled();
        }
    }

    /**
     * Loads what is missing. A full disk is retried while there are segments to drop, and values
     * that do not fit their columns with wider columns.
     */
    private List<String> names(DatabaseSegments segments, WorkerLink opened) {
        for (int widened = 0; ; ) {
            try {
                return segments.at(opened, query.version(), sources.sources(), remainingMs());
            } catch (SqlException failed) {
                boolean full = failed.state().equals(DISK_FULL);
                if (!full || !segments.dropUnused(opened, sources.sources())) {
                    throw failed;
                }
            } catch (ValuesMisfit misfit) {
                if (++widened > WIDENINGS_MAX) {
                    throw new SqlException(
                            SqlState.SERIALIZATION_FAILURE,
                            "properties of entities got values of further types while they were"
                                    + " copied: "
                                    + misfit.types().keySet(),
                            "Repeat the query.",
                            0,
                            misfit);
                }
                sources = analytics.sources(query);
            }
        }
    }

    /** Zero for no timeout. */
    private long remainingMs() {
        if (deadlineNanos == 0) {
            return 0;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (left <= 0) {
            throw AnalyticsFailures.timedOut();
        }
        return left;
    }

    private void send(WorkerLink opened, List<String> names, Wire.Purpose purpose) {
        long timeoutMs = remainingMs();
        opened.send(
                Wire.QUERY,
                out -> {
                    out.writeLong(timeoutMs);
                    out.writeByte(purpose.code());
                    Wire wire = opened.wire();
                    wire.putText(query.settings().zone().getId());
                    out.writeInt(query.settings().searchPath().size());
                    for (String schema : query.settings().searchPath()) {
                        wire.putText(schema);
                    }
                    List<SegmentSource> read = sources.sources();
                    out.writeInt(read.size());
                    for (int i = 0; i < read.size(); i++) {
                        wire.putText(names.isEmpty() ? "" : names.get(i));
                        wire.putBytes(TableTransfer.encode(read.get(i).table()));
                    }
                    out.writeInt(sources.views().size());
                    for (String view : sources.views()) {
                        wire.putText(view);
                    }
                    wire.putText(query.text());
                    putParameters(wire, out);
                });
    }

    private void putParameters(Wire wire, DataOutputStream out) throws IOException {
        out.writeInt(query.parameters().size());
        for (Object parameter : query.parameters()) {
            wire.putBytes(TableTransfer.encodeValue(parameter));
        }
    }

    private List<ResultColumn> columns(WorkerLink opened) {
        opened.expect(Wire.COLUMNS);
        try {
            int count = opened.wire().in().readInt();
            List<ResultColumn> columns = new ArrayList<>(count);
            List<ColumnType> found = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                String name = opened.wire().takeText();
                ColumnType type = opened.wire().takeType();
                columns.add(new ResultColumn(name, type));
                found.add(type);
            }
            types = List.copyOf(found);
            return columns;
        } catch (IOException failed) {
            throw opened.ended(failed);
        }
    }

    @Override
    public boolean next() {
        WorkerLink opened = link;
        if (ended || opened == null) {
            return false;
        }
        try {
            while (remaining == 0) {
                int answer = opened.answer();
                if (answer == Wire.END) {
                    ended = true;
                    close();
                    return false;
                }
                remaining = opened.wire().in().readInt();
            }
            remaining--;
            row = TableTransfer.decodeValues(opened.wire().takeBytes(), types);
            return true;
        } catch (IOException failed) {
            throw opened.ended(failed);
        }
    }

    @Override
    public @Nullable Object value(int column) {
        return row[column];
    }

    @Override
    public void cancel() {
        canceled = true;
        WorkerLink opened = link;
        if (opened != null) {
            opened.cancel();
        }
    }

    /** The worker ends the query when its connection does. */
    @Override
    public void close() {
        WorkerLink opened = link;
        if (opened != null) {
            link = null;
            opened.close();
        }
    }
}
