package petrichor.cloud.local;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * Spot prices from traces, for machines that are processes on this host. A machine with a bid below
 * the price is reclaimed after a notice.
 *
 * @param traces by type; others have no spot machines
 * @param notice time between the notice and the end of a machine
 */
public record SpotPrices(Map<String, PriceTrace> traces, Duration notice) {
    public static final Duration NOTICE = Duration.ofMinutes(2);

    /** No type has spot machines. */
    public static final SpotPrices NONE = new SpotPrices(Map.of(), NOTICE);

    public SpotPrices {
        traces = Map.copyOf(traces);
        if (notice.isNegative()) {
            throw new IllegalArgumentException("a notice after the end: " + notice);
        }
    }

    Optional<PriceTrace> of(String type) {
        return Optional.ofNullable(traces.get(type));
    }

    /** Why no such spot machine is available now; empty if one is. */
    Optional<String> refusal(LaunchRequest request, Instant now) {
        return of(request.type())
                .map(
                        trace ->
                                request.bidMax()
                                                .filter(bid -> bid.compareTo(trace.at(now)) < 0)
                                                .isPresent()
                                        ? Optional.of(
                                                "spot machines cost " + trace.at(now) + " now")
                                        : Optional.<String>empty())
                .orElse(Optional.of("this cloud offers no spot machines"));
    }

    /** Whether the price of a machine exceeds its bid. */
    boolean isLost(String type, Money bid, Instant now) {
        return of(type).filter(trace -> bid.compareTo(trace.at(now)) < 0).isPresent();
    }
}
