package petrichor.apps.router;

import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import petrichor.apps.router.compression.Compressors;

/**
 * What belongs to one event loop: its idle connections to instances, its source of randomness, and
 * one timer for the time limits of all its connections. A timer per request would cost more than
 * the occasional look at every connection. Confined to its event loop.
 */
final class Lane {
    /** How late a time limit may be noticed. */
    static final Duration SWEEP = Duration.ofMillis(100);

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGITS_PER_LONG = 16;

    private final EventLoop loop;
    private final RandomGenerator random;
    private final InstancePool pool;
    private final Compressors compressors = new Compressors(Lane::now);
    private final List<Timed> timed = new ArrayList<>();
    private boolean sweeping;

    /** Has time limits. */
    abstract static class Timed {
        private int index = -1;

        /** Called every {@link #SWEEP}. */
        abstract void check(long nowNanos);
    }

    Lane(EventLoop loop, RandomGenerator random, RouterSettings settings) {
        this.loop = loop;
        this.random = random;
        this.pool = new InstancePool(this, settings);
    }

    EventLoop loop() {
        return loop;
    }

    RandomGenerator random() {
        return random;
    }

    InstancePool pool() {
        return pool;
    }

    Compressors compressors() {
        return compressors;
    }

    static long now() {
        return System.nanoTime();
    }

    void watch(Timed connection) {
        if (connection.index < 0) {
            connection.index = timed.size();
            timed.add(connection);
            sweepLater();
        }
    }

    void forget(Timed connection) {
        if (connection.index >= 0) {
            Timed last = timed.removeLast();
            if (last.index != connection.index) {
                timed.set(connection.index, last);
                last.index = connection.index;
            }
            connection.index = -1;
        }
    }

    private void sweepLater() {
        if (!sweeping && !timed.isEmpty()) {
            sweeping = true;
            var _ = loop.schedule(this::sweep, SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sweep() {
        sweeping = false;
        long now = now();
        // a check may remove connections: the last one then moves to a place that was looked at
        for (int i = timed.size() - 1; i >= 0; i--) {
            Timed next = i < timed.size() ? timed.get(i) : null;
            if (next != null) {
                next.check(now);
            }
        }
        sweepLater();
    }

    /** A number with the given number of hexadecimal digits. */
    static String hex(RandomGenerator random, int digits) {
        byte[] hex = new byte[digits];
        long value = 0;
        for (int i = 0; i < digits; i++) {
            value = i % DIGITS_PER_LONG == 0 ? random.nextLong() : value << 4;
            hex[i] = HEX[(int) (value >>> 60)];
        }
        return new String(hex, StandardCharsets.ISO_8859_1);
    }
}
