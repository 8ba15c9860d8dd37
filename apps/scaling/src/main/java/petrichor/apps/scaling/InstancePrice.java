package petrichor.apps.scaling;

import java.time.Duration;
import petrichor.apps.manifest.InstanceClass;
import petrichor.base.PetrichorException;

/**
 * The price of an hour of an instance.
 *
 * @param dollars per hour
 * @param tail billed after the end of each instance
 */
public record InstancePrice(double dollars, Duration tail) {
    /** App Engine's: an instance is billed for 15 minutes after its last request. */
    public static final Duration APP_ENGINE_TAIL = Duration.ofMinutes(15);

    private static final double SMALLEST_CLASS = 0.05;
    private static final double SECONDS_PER_HOUR = 3600;

    public InstancePrice {
        if (!(dollars >= 0 && Double.isFinite(dollars)) || tail.isNegative()) {
            throw PetrichorException.invalid(
                    "The price of an hour of an instance is {dollars} dollars; it must not be"
                            + " negative.",
                    "dollars",
                    dollars);
        }
    }

    /** App Engine's list price in the region us-central1: B1 and F1 cost 0.05 dollars. */
    public static InstancePrice ofAppEngine(InstanceClass instanceClass) {
        int multiple =
                switch (instanceClass) {
                    case F1, B1 -> 1;
                    case F2, B2 -> 2;
                    case F4, B4 -> 4;
                    case F4_1G, B4_1G -> 6;
                    case B8 -> 8;
                };
        return new InstancePrice(SMALLEST_CLASS * multiple, APP_ENGINE_TAIL);
    }

    /** Of one's own machines. */
    public static InstancePrice of(double dollars) {
        return new InstancePrice(dollars, Duration.ZERO);
    }

    /** Dollars. */
    public double of(SimulationReport.Usage usage) {
        double tails = usage.starts() * (tail.toSeconds() / SECONDS_PER_HOUR);
        return dollars * (usage.instanceHours() + tails);
    }
}
