package petrichor.jobs.leased;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.leasing.SpotChoice;
import petrichor.cloud.spot.PriceChain;
import petrichor.cloud.spot.Survival;

/**
 * A spot machine where it is expected to be cheaper, what is lost with it counted in: if it is
 * taken away, the stage begins again on a machine on demand. How probable that is say the prices of
 * the last month, by the chain and without a model; the worse answer counts. It is asked only where
 * results that exist once do not lie on the machine.
 *
 * <p>The bid is the price on demand: nobody pays more for a machine that may be taken away. Safe
 * for all threads.
 */
final class SpotBids implements SpotChoice {
    private static final Duration HISTORY = Duration.ofDays(30);

    /** For less nothing can be foretold. */
    private static final Duration HISTORY_MIN = Duration.ofDays(1);

    /** A stage of which nobody knows how long it takes. */
    private static final Duration WORK = Duration.ofHours(1);

    private static final int HOURS_MAX = 24 * 7;

    private final Cloud cloud;
    private final InstantSource clock;

    SpotBids(Cloud cloud, InstantSource clock) {
        this.cloud = cloud;
        this.clock = clock;
    }

    @Override
    public Optional<Money> bid(InstanceType type, Optional<Duration> work) {
        Instant now = clock.instant();
        Instant from = now.minus(HISTORY);
        List<PricePoint> points = cloud.spotPrices(type.name(), from, now);
        if (points.isEmpty()) {
            return Optional.empty();
        }
        PriceTrace trace = new PriceTrace(points, now);
        Instant begin = trace.begin().isAfter(from) ? trace.begin() : from;
        Money bid = type.pricePerHour();
        Money price = trace.at(now);
        if (Duration.between(begin, now).compareTo(HISTORY_MIN) < 0 || price.compareTo(bid) >= 0) {
            return Optional.empty();
        }
        long seconds = Math.max(1, work.orElse(WORK).toSeconds());
        int hours = (int) Math.min(HOURS_MAX, Math.ceilDiv(seconds, 3600L));
        double survives =
                Math.min(
                        PriceChain.of(trace, begin, now).alive(price, bid, hours)[hours],
                        Survival.of(trace, begin, now, price, bid).alive(hours)[hours]);
        double again = (1 - survives) * bid.dollars();
        return price.dollars() + again < bid.dollars() ? Optional.of(bid) : Optional.empty();
    }
}
