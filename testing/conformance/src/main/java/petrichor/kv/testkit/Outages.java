package petrichor.kv.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Helpers for tests that stop or pause a server. Such a test uses a store with a short timeout for
 * the calls that are meant to fail. A busy machine may exceed that timeout before and after the
 * outage too, so the test opens that store and waits for the server with {@link #whenBack}, and
 * prepares and checks rows through a store with a {@link #patient} address.
 */
public final class Outages {
    /** Maximum time until a server on a busy machine responds within the short timeout again. */
    private static final Duration BACK_TIME_MAX = Duration.ofSeconds(60);

    private static final long PAUSE_NANOS = 10_000_000;

    private Outages() {}

    /** The address with a timeout of 60 s, unless it specifies one. */
    public static String patient(String url) {
        if (url.contains("timeout=")) {
            return url;
        }
        return url + (url.contains("?") ? "&" : "?") + "timeout=60s";
    }

    /** Repeats an idempotent call while it fails with UNAVAILABLE. */
    public static <T extends @Nullable Object> T whenBack(Supplier<T> call) {
        long end = System.nanoTime() + BACK_TIME_MAX.toNanos();
        while (true) {
            try {
                return call.get();
            } catch (PetrichorException unreachable) {
                if (unreachable.code() != ErrorCode.UNAVAILABLE || System.nanoTime() - end > 0) {
                    throw unreachable;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
