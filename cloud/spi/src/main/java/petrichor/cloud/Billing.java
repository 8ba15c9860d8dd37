package petrichor.cloud;

import java.time.Duration;
import java.time.Instant;

/** How machines are billed, from when they run. */
public enum Billing {
    /** Every started hour, as clouds billed when Nephele was written and some still do. */
    WHOLE_HOURS(Duration.ofHours(1)),
    /** By the second, a minute at least. */
    PER_SECOND(Duration.ofSeconds(1));

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Duration unit;

    Billing(Duration unit) {
        this.unit = unit;
    }

    /** What is paid for at once. */
    public Duration unit() {
        return unit;
    }

    /** Until when is paid for, if it ran from then until at least now. */
    public Instant paidUntil(Instant running, Instant now) {
        return running.plus(billed(Duration.between(running, now)));
    }

    /** What a machine costs that ran for so long. */
    public Money cost(Money pricePerHour, Duration ran) {
        return pricePerHour.share(billed(ran).toSeconds(), HOUR.toSeconds());
    }

    private Duration billed(Duration ran) {
        long units = Math.max(1, Math.ceilDiv(ran.toNanos(), unit.toNanos()));
        Duration all = unit.multipliedBy(units);
        return all.compareTo(MINUTE) < 0 ? MINUTE : all;
    }
}
