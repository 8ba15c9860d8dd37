package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;

/** Selects the instance type to lease: the cheapest that fits and is not known to be sold out. */
final class InstanceSelector {
    /** A type to request from the cloud. */
    record Offer(InstanceType type, Purchase purchase, Optional<Money> bid) {}

    private record Shelf(String type, Purchase purchase) {}

    private final List<InstanceType> cheapestFirst;
    private final SpotChoice spot;
    private final Map<Shelf, Instant> emptyUntil = new HashMap<>();
    private final Map<Shelf, String> reasons = new HashMap<>();

    InstanceSelector(List<InstanceType> types, SpotChoice spot) {
        this.cheapestFirst = new ArrayList<>(types);
        this.cheapestFirst.sort(
                Comparator.comparing(InstanceType::pricePerHour).thenComparing(InstanceType::name));
        this.spot = spot;
    }

    Optional<InstanceType> type(String name) {
        return cheapestFirst.stream().filter(type -> type.name().equals(name)).findFirst();
    }

    /** The price of the cheapest suitable on-demand machine, regardless of its availability. */
    Optional<Money> price(Need need) {
        return cheapestFirst.stream()
                .filter(need.wish()::accepts)
                .map(InstanceType::pricePerHour)
                .findFirst();
    }

    Optional<Offer> cheapest(Need need, Optional<Duration> work, Instant now) {
        for (InstanceType type : cheapestFirst) {
            if (!need.wish().accepts(type)) {
                continue;
            }
            if (need.losable() && !empty(new Shelf(type.name(), Purchase.SPOT), now)) {
                Optional<Money> bid = spot.bid(type, work);
                if (bid.isPresent()) {
                    return Optional.of(new Offer(type, Purchase.SPOT, bid));
                }
            }
            if (!empty(new Shelf(type.name(), Purchase.ON_DEMAND), now)) {
                return Optional.of(new Offer(type, Purchase.ON_DEMAND, Optional.empty()));
            }
        }
        return Optional.empty();
    }

    void none(Lease lease, Instant until, String reason) {
        Shelf shelf = new Shelf(lease.type().name(), lease.purchase());
        emptyUntil.put(shelf, until);
        reasons.put(shelf, reason);
    }

    private boolean empty(Shelf shelf, Instant now) {
        Instant until = emptyUntil.get(shelf);
        return until != null && now.isBefore(until);
    }

    /** Why no offer exists for this need. */
    String why(Need need) {
        for (InstanceType type : cheapestFirst) {
            String reason = reasons.get(new Shelf(type.name(), Purchase.ON_DEMAND));
            if (need.wish().accepts(type) && reason != null) {
                return "error of the cloud: " + reason;
            }
        }
        return cheapestFirst.stream().anyMatch(need.wish()::accepts)
                ? "machines are being launched"
                : "the cloud offers no instance type that is large enough or has this name";
    }
}
