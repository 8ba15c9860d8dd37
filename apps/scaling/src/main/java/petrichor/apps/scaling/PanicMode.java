package petrichor.apps.scaling;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Knative's algorithm for one number: instances for a load, with a stable and a panic window. Not
 * thread-safe.
 *
 * @see <a
 *     href="https://github.com/knative/serving/blob/main/pkg/autoscaler/scaling/autoscaler.go">Knative's
 *     autoscaler</a>
 */
final class PanicMode {
    /** When the last surge was seen; null in stable mode. */
    private @Nullable Instant panicSince;

    private int panicInstances;

    /**
     * An autoscaler that starts beside several instances has no history, and would stop them. It
     * starts in panic mode instead, in which none stops.
     *
     * @param ready instances at the start
     */
    PanicMode(Instant at, int ready) {
        panicSince = ready > 1 ? at : null;
        panicInstances = ready;
    }

    boolean isPanicking() {
        return panicSince != null;
    }

    /**
     * What the windows ask for.
     *
     * @param stable instances by the stable window
     * @param instances the same, or more in panic mode
     */
    record Instances(int stable, int instances, ScalingReason stableReason, ScalingReason reason) {}

    /**
     * The next decision.
     *
     * @param ready instances
     * @param load over both windows
     */
    Instances next(Instant now, int ready, Decision.Load load, ScalingPolicy.Reaction reaction) {
        double base = Math.max(1, ready);
        // Rounded up and down, so that a low rate cannot get stuck at one number.
        double most = Math.ceil(reaction.rates().up() * base);
        double least = Math.floor(base / reaction.rates().down());
        double neededStable = Math.ceil(load.stable() / load.target());
        double neededPanic = Math.ceil(load.panic() / load.target());
        boolean surge = neededPanic / base >= reaction.panicThreshold();
        if (surge) {
            panicSince = now;
        } else if (panicSince != null
                && panicSince.plus(reaction.windows().stable()).isBefore(now)) {
            panicSince = null;
            panicInstances = 0;
        }
        double tolerated = tolerated(neededStable, ready, load, reaction);
        int stable = (int) Math.clamp(tolerated, least, most);
        ScalingReason stableReason = stableReason(neededStable, tolerated, stable);
        if (panicSince == null) {
            return new Instances(stable, stable, stableReason, stableReason);
        }
        int panic = Math.max(stable, (int) Math.clamp(neededPanic, least, most));
        if (panic >= panicInstances) {
            panicInstances = panic;
            return new Instances(
                    stable,
                    panic,
                    stableReason,
                    panic == stable ? stableReason : ScalingReason.PANIC_WINDOW);
        }
        return new Instances(stable, panicInstances, stableReason, ScalingReason.PANIC_HOLD);
    }

    /** As many as are ready, if slightly more load would need them. */
    private static double tolerated(
            double needed, int ready, Decision.Load load, ScalingPolicy.Reaction reaction) {
        if (needed >= ready) {
            return needed;
        }
        double increased = load.stable() * (1 + reaction.downTolerance());
        return Math.min(ready, Math.ceil(increased / load.target()));
    }

    private static ScalingReason stableReason(double needed, double tolerated, int stable) {
        if (stable > tolerated) {
            return ScalingReason.DOWN_RATE;
        }
        if (stable < tolerated) {
            return ScalingReason.UP_RATE;
        }
        if (tolerated > needed) {
            return ScalingReason.DOWN_TOLERANCE;
        }
        return stable == 0 ? ScalingReason.NO_LOAD : ScalingReason.STABLE_WINDOW;
    }
}
