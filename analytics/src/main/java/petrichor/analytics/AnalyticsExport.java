package petrichor.analytics;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import petrichor.sql.AnalyticsEngine;

/** A query whose rows the worker writes to a file and sends. */
final class AnalyticsExport implements AnalyticsEngine.FileRows {
    private static final byte[] NOTHING = {};

    private final AnalyticsQuery query;
    private @Nullable WorkerLink link;

    AnalyticsExport(AnalyticsQuery query) {
        this.query = query;
    }

    @Override
    public long start() {
        WorkerLink opened = query.pinned(Wire.Purpose.FILE);
        long rows = opened.loaded().rows();
        link = opened;
        return rows;
    }

    @Override
    public byte[] next() {
        WorkerLink opened = link;
        if (opened == null) {
            return NOTHING;
        }
        try {
            if (opened.answer() == Wire.ROWS) {
                return opened.wire().takeBytes();
            }
            link = null;
            return NOTHING;
        } catch (IOException failed) {
            throw opened.ended(failed);
        }
    }

    @Override
    public void cancel() {
        query.cancel();
    }

    @Override
    public void close() {
        query.close();
    }
}
