package petrichor.bench.compression;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets so many bytes a second through, and a burst at once if there was a pause. Whoever takes more
 * than there is waits until its bytes would have gone. Safe for any thread.
 */
final class TokenBucket {
    private final long burstBytes;
    private final LongSupplier nanos;
    private long bytesPerSecond;

    /** When everything that was taken so far has gone. */
    private long freeAt;

    TokenBucket(long bytesPerSecond, long burstBytes, LongSupplier nanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.burstBytes = burstBytes;
        this.nanos = nanos;
        this.freeAt = nanos.getAsLong();
    }

    synchronized void rate(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    /** Waits until these bytes may go. */
    void take(int bytes) throws InterruptedException {
        long wait = reserve(bytes);
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }

    /** How long the taker of these bytes has to wait. */
    synchronized long reserve(int bytes) {
        long now = nanos.getAsLong();
        long burst = burstBytes * 1_000_000_000L / bytesPerSecond;
        freeAt = Math.max(freeAt, now - burst);
        freeAt += bytes * 1_000_000_000L / bytesPerSecond;
        return freeAt - now;
    }
}
