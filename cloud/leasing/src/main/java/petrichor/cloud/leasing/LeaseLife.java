package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.Purchase;

/**
 * The life of one machine according to the log.
 *
 * @param ended now, if it has not ended
 * @param taken whether the cloud terminated it
 */
record LeaseLife(
        LeaseLine first, Optional<Instant> running, Instant ended, boolean taken, List<Use> uses) {
    record Use(StageId stage, Instant from, Instant to) {
        Duration length() {
            return Duration.between(from, to);
        }
    }

    static List<LeaseLife> of(List<LeaseLine> lines, Instant now) {
        Map<String, List<LeaseLine>> byToken = new LinkedHashMap<>();
        for (LeaseLine line : lines) {
            byToken.computeIfAbsent(line.token(), _ -> new ArrayList<>()).add(line);
        }
        return byToken.values().stream().map(own -> one(own, now)).toList();
    }

    private static LeaseLife one(List<LeaseLine> lines, Instant now) {
        LeaseLine last = lines.getLast();
        Instant ended = last.state() == LeaseState.ENDED ? last.at() : now;
        List<Use> uses = new ArrayList<>();
        @Nullable LeaseLine used = null;
        for (LeaseLine line : lines) {
            if (used != null) {
                uses.add(use(used, line.at(), ended));
            }
            used = line.state() == LeaseState.USED && line.stage().isPresent() ? line : null;
        }
        if (used != null) {
            uses.add(use(used, now, ended));
        }
        return new LeaseLife(
                lines.getFirst(),
                last.running(),
                ended,
                last.reason().startsWith(CostReport.TAKEN),
                uses);
    }

    /** A late report may concern a use that ended before. */
    private static Use use(LeaseLine line, Instant heard, Instant ended) {
        Instant to = heard.isAfter(ended) ? ended : heard;
        return new Use(
                line.stage().orElseThrow(), line.at(), to.isBefore(line.at()) ? line.at() : to);
    }

    Duration used() {
        return uses.stream().map(Use::length).reduce(Duration.ZERO, Duration::plus);
    }

    Duration ran() {
        return running.filter(from -> from.isBefore(ended))
                .map(from -> Duration.between(from, ended))
                .orElse(Duration.ZERO);
    }

    /** Its cost so far. */
    Money cost(Cloud cloud) {
        if (running.isEmpty() || !running.get().isBefore(ended)) {
            return Money.ZERO;
        }
        Instant from = running.get();
        Billing billing = cloud.billing();
        if (billing == Billing.PER_SECOND) {
            return billing.cost(price(cloud, from), Duration.between(from, ended));
        }
        Money all = Money.ZERO;
        for (Instant hour = from; hour.isBefore(ended); hour = hour.plus(billing.unit())) {
            boolean cut = taken && hour.plus(billing.unit()).isAfter(ended);
            all = cut ? all : all.plus(price(cloud, hour));
        }
        return all;
    }

    private Money price(Cloud cloud, Instant moment) {
        Optional<Money> onDemand =
                cloud.types().stream()
                        .filter(type -> type.name().equals(first.type()))
                        .map(InstanceType::pricePerHour)
                        .findFirst();
        if (first.purchase() == Purchase.SPOT) {
            List<PricePoint> prices = cloud.spotPrices(first.type(), moment, moment.plusSeconds(1));
            if (!prices.isEmpty()) {
                return prices.getFirst().pricePerHour();
            }
        }
        return onDemand.orElse(Money.ZERO);
    }
}
