package petrichor.bench.compression;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the rate in bytes per second, with a burst after a pause. A caller that takes more than is
 * available waits until its bytes would have been sent. Safe for any thread.
 */
final class TokenBucket {
    private final long burstBytes;
    private final LongSupplier nanos;
    private long bytesPerSecond;

    /** When everything taken so far will have been sent. */
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

    /** Waits until these bytes may be sent. */
    void take(int bytes) throws InterruptedException {
        long wait = reserve(bytes);
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }

    /** How long the caller has to wait for these bytes. */
    synchronized long reserve(int bytes) {
        long now = nanos.getAsLong();
        long burst = burstBytes * 1_000_000_000L / bytesPerSecond;
        freeAt = Math.max(freeAt, now - burst);
        freeAt += bytes * 1_000_000_000L / bytesPerSecond;
        return freeAt - now;
    }
}
