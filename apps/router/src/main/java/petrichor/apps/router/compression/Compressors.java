package petrichor.apps.router.compression;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.ContentCoding;

/**
 * The compressed responses of one event loop. So many may run at the same time, and they take so
 * much of the loop's time, that other requests get their share; what is beyond is sent without
 * compression. Confined to its event loop.
 */
public final class Compressors {
    /** Each takes 0.3 MB with gzip, and 1 MB with Zstandard. */
    static final int OPEN_MAX = 64;

    /** The part of the loop's time after which no further response is compressed. */
    private static final double SHARE_MAX = 0.5;

    static final Duration WINDOW = Duration.ofMillis(100);

    private final LongSupplier nanoTime;
    private int open;
    private long windowStart;
    private long spentNanos;

    /**
     * @param nanoTime a clock of nanoseconds
     */
    public Compressors(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.windowStart = nanoTime.getAsLong();
    }

    /** Null if too many responses are being compressed. The caller closes it. */
    public @Nullable CompressedBody start(ContentCoding coding) {
        if (open >= OPEN_MAX || isBusy()) {
            return null;
        }
        open++;
        return new CompressedBody(this, coding);
    }

    private boolean isBusy() {
        long now = nanoTime.getAsLong();
        if (now - windowStart >= WINDOW.toNanos()) {
            windowStart = now;
            spentNanos = 0;
        }
        return spentNanos > SHARE_MAX * WINDOW.toNanos();
    }

    long now() {
        return nanoTime.getAsLong();
    }

    void spent(long nanos) {
        spentNanos += nanos;
    }

    void closed() {
        open--;
    }

    /** Responses that are being compressed. */
    public int open() {
        return open;
    }
}
