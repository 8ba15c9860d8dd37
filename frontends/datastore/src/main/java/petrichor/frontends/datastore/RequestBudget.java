package petrichor.frontends.datastore;

import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * How many bytes of requests may be in memory at once, over all connections: being received,
 * waiting, or being answered. Without it, many clients with large requests, each of them allowed by
 * itself, would take all memory together. Safe for any thread.
 */
final class RequestBudget {
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    RequestBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    long bytes() {
        return bytes.get();
    }

    Share share() {
        return new Share();
    }

    static PetrichorException exhausted() {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "the server has too many bytes of requests in memory"
                        + " (limits.buffered-bytes-max); nothing was done, repeat the request after"
                        + " a pause");
    }

    /** What one request holds of the budget. */
    final class Share implements AutoCloseable {
        private final AtomicLong held = new AtomicLong();

        /** False, and nothing is charged, when the budget has no more. */
        boolean charge(int more) {
            if (bytes.addAndGet(more) > bytesMax) {
                bytes.addAndGet(-more);
                return false;
            }
            held.addAndGet(more);
            return true;
        }

        void giveBack() {
            bytes.addAndGet(-held.getAndSet(0));
        }

        @Override
        public void close() {
            giveBack();
        }
    }
}
