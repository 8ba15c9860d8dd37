package petrichor.services.cache;

/**
 * When an item expires.
 *
 * @param epochMicros microseconds since 1970; {@link Long#MAX_VALUE} for never
 */
public record Expiry(long epochMicros) {
    public static final Expiry NEVER = new Expiry(Long.MAX_VALUE);

    /** Up to this number of seconds, memcached's protocol counts from now; 30 days. */
    public static final long RELATIVE_SECONDS_MAX = 2_592_000;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /**
     * The expiry as memcached's protocol encodes it.
     *
     * @param seconds 0 for never; up to 30 days from now; more are seconds since 1970
     */
    public static Expiry of(long seconds, long nowMicros) {
        if (seconds == 0) {
            return NEVER;
        }
        return seconds <= RELATIVE_SECONDS_MAX
                ? new Expiry(nowMicros + seconds * MICROS_PER_SECOND)
                : new Expiry(seconds * MICROS_PER_SECOND);
    }

    public boolean isNever() {
        return epochMicros == Long.MAX_VALUE;
    }

    public boolean hasPassed(long nowMicros) {
        return nowMicros >= epochMicros;
    }

    /** Seconds since 1970; 0 for never. */
    public long epochSeconds() {
        return isNever() ? 0 : Math.ceilDiv(epochMicros, MICROS_PER_SECOND);
    }
}
