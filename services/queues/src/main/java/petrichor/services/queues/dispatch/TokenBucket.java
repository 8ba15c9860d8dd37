package petrichor.services.queues.dispatch;

import petrichor.services.queues.DispatchRate;

/**
 * The rate of a queue. Starts with a single token, so that restarts and changes of the owner cause
 * no burst. Confined to the turns of a dispatcher.
 */
final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Sums of small numbers may miss 1 by a rounding error. */
    private static final double WHOLE = 1 - 1e-9;

    private DispatchRate rate;
    private double tokens = 1;
    private long filledNanos;

    TokenBucket(DispatchRate rate, long nowNanos) {
        this.rate = rate;
        this.filledNanos = nowNanos;
    }

    void change(DispatchRate other, long nowNanos) {
        fill(nowNanos);
        rate = other;
        tokens = Math.min(tokens, other.bucketSize());
    }

    private void fill(long nowNanos) {
        double earned = (nowNanos - filledNanos) / NANOS_PER_SECOND * rate.tokensPerSecond();
        tokens = Math.min(rate.bucketSize(), tokens + Math.max(0, earned));
        filledNanos = nowNanos;
    }

    boolean tryTake(long nowNanos) {
        fill(nowNanos);
        if (tokens < WHOLE || rate.tokensPerSecond() == 0) {
            return false;
        }
        tokens = Math.max(0, tokens - 1);
        return true;
    }

    void giveBack() {
        tokens = Math.min(rate.bucketSize(), tokens + 1);
    }

    /** Time until the next token; only if the rate is not 0. */
    long nanosToNext(long nowNanos) {
        fill(nowNanos);
        return (long)
                Math.ceil(Math.max(0, 1 - tokens) / rate.tokensPerSecond() * NANOS_PER_SECOND);
    }
}
