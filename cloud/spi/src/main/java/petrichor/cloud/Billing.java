package petrichor.cloud;

import java.time.Duration;
import java.time.Instant;

/** The billing model of machines, counted from when they are running. */
public enum Billing {
    /** Every started hour is billed, as in all clouds at the time of Nephele and in some today. */
    WHOLE_HOURS(Duration.ofHours(1)),
    /** Billed by the second, with a minimum of a minute. */
    PER_SECOND(Duration.ofSeconds(1));

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Duration unit;

    Billing(Duration unit) {
        this.unit = unit;
    }

    /** The billing unit. */
    public Duration unit() {
        return unit;
    }

    /**
     * End of the paid time of a machine that has been running since {@code running} until at least
     * now.
     */
    public Instant paidUntil(Instant running, Instant now) {
        return running.plus(billed(Duration.between(running, now)));
    }

    /** Cost of a machine that ran for this time. */
    public Money cost(Money pricePerHour, Duration ran) {
        return pricePerHour.share(billed(ran).toSeconds(), HOUR.toSeconds());
    }

    private Duration billed(Duration ran) {
        long units = Math.max(1, Math.ceilDiv(ran.toNanos(), unit.toNanos()));
        Duration all = unit.multipliedBy(units);
        return all.compareTo(MINUTE) < 0 ? MINUTE : all;
    }
}
