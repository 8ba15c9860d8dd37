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
 * Chooses a spot machine where it is expected to be cheaper, including the cost of losing it: then
 * the stage restarts on an on-demand machine. The probability of a loss is estimated from last
 * month's prices in two ways, by a Markov chain and without a model; the worse estimate counts. It
 * is consulted only where no result exists solely on the machine.
 *
 * <p>The bid is the on-demand price: a machine that may be reclaimed is never worth more. Safe for
 * all threads.
 */
final class SpotBids implements SpotChoice {
    private static final Duration HISTORY = Duration.ofDays(30);

    /** A shorter history is no basis for a forecast. */
    private static final Duration HISTORY_MIN = Duration.ofDays(1);

    /** Assumed duration of a stage whose duration is unknown. */
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
