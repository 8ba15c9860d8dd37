package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import petrichor.cloud.Billing;
import petrichor.cloud.CloudLimits;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * Settings of a simulated cloud.
 *
 * @param capacity number of machines per type; unlimited for missing types
 * @param droughts periods without machines of a type
 * @param spotPrices prices of the types with spot machines
 */
public record CloudSetting(
        List<InstanceType> types,
        Billing billing,
        CloudLimits limits,
        Map<String, Integer> capacity,
        List<CapacityShortage> droughts,
        Map<String, PriceTrace> spotPrices) {
    /** The two instance types of Nephele's experiments, at Amazon's prices of September 2009. */
    public static final InstanceType M1_SMALL =
            new InstanceType(
                    "m1.small",
                    1,
                    1L << 30,
                    128L << 30,
                    Money.parse("0.10"),
                    Duration.ofSeconds(90));

    public static final InstanceType C1_XLARGE =
            new InstanceType(
                    "c1.xlarge",
                    8,
                    18L << 30,
                    512L << 30,
                    Money.parse("0.80"),
                    Duration.ofSeconds(90));

    /** A period in which no machines of a type are available. */
    public record CapacityShortage(String type, Instant from, Instant to) {}

    public CloudSetting {
        types = List.copyOf(types);
        capacity = Map.copyOf(capacity);
        droughts = List.copyOf(droughts);
        spotPrices = Map.copyOf(spotPrices);
    }

    public static CloudSetting of(Billing billing, InstanceType... types) {
        return new CloudSetting(
                List.of(types),
                billing,
                new CloudLimits(
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(2),
                        Duration.ofSeconds(20),
                        Duration.ofMinutes(2),
                        1_000),
                Map.of(),
                List.of(),
                Map.of());
    }

    public CloudSetting withCapacity(Map<String, Integer> machines) {
        return new CloudSetting(types, billing, limits, machines, droughts, spotPrices);
    }

    public CloudSetting withDroughts(List<CapacityShortage> times) {
        return new CloudSetting(types, billing, limits, capacity, times, spotPrices);
    }

    public CloudSetting withSpotPrices(Map<String, PriceTrace> prices) {
        return new CloudSetting(types, billing, limits, capacity, droughts, prices);
    }
}
