package petrichor.server.metrics;

import java.util.function.Supplier;
import petrichor.kv.Scan;

/** Measures a scan until its first row, and counts failures of later rows. */
final class MeteredScan implements Scan {
    private final StoreMeter meter;
    private final long started = System.nanoTime();
    private final Scan below;
    private boolean hasFirst;

    MeteredScan(StoreMeter meter, Supplier<Scan> opened) {
        this.meter = meter;
        try {
            this.below = opened.get();
        } catch (RuntimeException failure) {
            meter.failed(StoreOperation.SCAN, failure);
            throw failure;
        }
    }

    @Override
    public boolean next() {
        try {
            boolean more = below.next();
            if (!hasFirst) {
                hasFirst = true;
                meter.answered(StoreOperation.SCAN, started);
            }
            return more;
        } catch (RuntimeException failure) {
            meter.failed(StoreOperation.SCAN, failure);
            throw failure;
        }
    }

    @Override
    public byte[] key() {
        return below.key();
    }

    @Override
    public byte[] value() {
        return below.value();
    }

    @Override
    public void close() {
        below.close();
    }
}
