package petrichor.apps.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many instances one version needs. One thread calls {@link #decide} about once per
 * second, and at once if a request arrives while no instance is ready or starting. Decisions depend
 * only on the observations and their times.
 */
public final class Autoscaler {
    /**
     * Due tasks for which one instance is started; the rate of a queue limits how fast they run.
     */
    public static final int BACKLOG_PER_INSTANCE = 100;

    private final ScalingPolicy policy;
    private final PanicMode panicMode;
    private final BucketWindow stableWindow;
    private final BucketWindow panicWindow;

    /** Instances that pending requests or a backlog asked for are kept for the stable window. */
    private final MaxWindow pendingInstances;

    private final MaxWindow backlogInstances;

    /** With basic scaling, instances that were busy within the idle timeout. */
    private final MaxWindow busyInstances;

    /** Since when no instance is needed; null if one is. */
    private @Nullable Instant unneededSince;

    /**
     * A changed policy needs a new autoscaler, which starts with the instances of the former one.
     *
     * @param ready instances at the start
     */
    public Autoscaler(ScalingPolicy policy, Instant at, int ready) {
        this.policy = policy;
        panicMode = new PanicMode(at, ready);
        ScalingPolicy.Windows windows = windows(policy);
        stableWindow = new BucketWindow(windows.stable());
        panicWindow = new BucketWindow(windows.panic());
        pendingInstances = new MaxWindow(windows.stable());
        backlogInstances = new MaxWindow(windows.stable());
        busyInstances =
                new MaxWindow(
                        policy instanceof ScalingPolicy.Basic(_, Duration idleTimeout, _)
                                ? idleTimeout
                                : windows.stable());
    }

    private static ScalingPolicy.Windows windows(ScalingPolicy policy) {
        return policy instanceof ScalingPolicy.Automatic automatic
                ? automatic.reaction().windows()
                : ScalingPolicy.Reaction.DEFAULT.windows();
    }

    /** The next decision. */
    public Decision decide(LoadObservation observation) {
        return switch (policy) {
            case ScalingPolicy.Automatic automatic -> automatic(automatic, observation);
            case ScalingPolicy.Basic basic -> basic(basic, observation);
            case ScalingPolicy.Manual(int instances, int concurrent) ->
                    new Rules()
                            .set(ScalingReason.MANUAL, instances)
                            .end(load(observation, concurrent));
        };
    }

    private static Decision.Load load(LoadObservation observation, double target) {
        double load = observation.inProgress() + observation.pending().requests();
        return new Decision.Load(load, load, target);
    }

    private Decision automatic(ScalingPolicy.Automatic automatic, LoadObservation observation) {
        Decision.Load load = averages(automatic, observation);
        PanicMode.Instances windows =
                panicMode.next(observation.at(), observation.ready(), load, automatic.reaction());
        Rules rules = new Rules();
        rules.set(windows.stableReason(), windows.stable());
        if (windows.instances() != windows.stable()) {
            rules.set(windows.reason(), windows.instances());
        }
        int pending =
                pendingInstances.record(observation.at(), pendingInstances(automatic, observation));
        int backlog =
                backlogInstances.record(
                        observation.at(), divided(observation.backlog(), BACKLOG_PER_INSTANCE));
        rules.atLeast(
                observation.ready() == 0
                        ? ScalingReason.PENDING_REQUESTS
                        : ScalingReason.PENDING_LATENCY,
                pending);
        rules.atLeast(ScalingReason.QUEUE_BACKLOG, backlog);
        int needed = Math.max((int) Math.ceil(load.stable() / load.target()), backlog);
        rules.atLeast(ScalingReason.MIN_IDLE, needed + automatic.idle().min());
        if (!panicMode.isPanicking()) {
            long most = (long) Math.max(needed, pending) + automatic.idle().max();
            rules.atMost(ScalingReason.MAX_IDLE, (int) Math.min(most, Integer.MAX_VALUE));
        }
        rules.atLeast(
                ScalingReason.ZERO_GRACE,
                graceInstances(rules.instances(), observation, automatic.reaction().zeroGrace()));
        rules.atLeast(ScalingReason.MIN_INSTANCES, automatic.bounds().min());
        rules.atMost(ScalingReason.MAX_INSTANCES, automatic.bounds().max());
        return rules.end(load);
    }

    private Decision.Load averages(ScalingPolicy.Automatic automatic, LoadObservation observation) {
        LoadObservation.Pending pending = observation.pending();
        boolean counts = pending.latency().compareTo(automatic.pending().min()) >= 0;
        double load = observation.inProgress() + (counts ? pending.requests() : 0);
        Instant at = observation.at();
        stableWindow.record(at, load);
        panicWindow.record(at, load);
        return switch (automatic.reaction().windows().averaging()) {
            case LINEAR ->
                    new Decision.Load(
                            stableWindow.average(at), panicWindow.average(at), automatic.target());
            case WEIGHTED ->
                    new Decision.Load(
                            stableWindow.weightedAverage(at),
                            panicWindow.weightedAverage(at),
                            automatic.target());
        };
    }

    /**
     * Instances for all requests that wait, beside those that are ready, which have no capacity.
     */
    private static int pendingInstances(
            ScalingPolicy.Automatic automatic, LoadObservation observation) {
        LoadObservation.Pending pending = observation.pending();
        boolean tooLong =
                observation.ready() == 0
                        || pending.latency().compareTo(automatic.pending().max()) >= 0;
        return pending.requests() == 0 || !tooLong
                ? 0
                : observation.ready()
                        + divided(pending.requests(), automatic.concurrentRequestsMax());
    }

    private static int divided(int number, int by) {
        return Math.toIntExact(Math.ceilDiv((long) number, by));
    }

    /** One instance, until none has been needed for the grace period. */
    private int graceInstances(int needed, LoadObservation observation, Duration grace) {
        if (needed > 0 || observation.instances() == 0) {
            unneededSince = null;
            return 0;
        }
        Instant since = unneededSince == null ? observation.at() : unneededSince;
        unneededSince = since;
        return since.plus(grace).isAfter(observation.at()) ? 1 : 0;
    }

    private Decision basic(ScalingPolicy.Basic basic, LoadObservation observation) {
        int pending = observation.pending().requests();
        // An instance that starts has not had the chance to be busy.
        int busy =
                busyInstances.record(observation.at(), observation.busy() + observation.starting());
        Rules rules = new Rules();
        rules.set(busy == 0 ? ScalingReason.IDLE : ScalingReason.BUSY, busy);
        if (pending > 0) {
            rules.atLeast(
                    ScalingReason.PENDING_REQUESTS,
                    observation.ready() + divided(pending, basic.concurrentRequestsMax()));
        }
        rules.atLeast(
                ScalingReason.QUEUE_BACKLOG, divided(observation.backlog(), BACKLOG_PER_INSTANCE));
        rules.atMost(ScalingReason.MAX_INSTANCES, basic.instancesMax());
        return rules.end(load(observation, basic.concurrentRequestsMax()));
    }

    /** Rules that have changed the number of instances. */
    private static final class Rules {
        private final List<Decision.Rule> rules = new ArrayList<>();

        int instances() {
            return rules.getLast().instances();
        }

        Rules set(ScalingReason reason, int instances) {
            rules.add(new Decision.Rule(reason, instances));
            return this;
        }

        void atLeast(ScalingReason reason, int instances) {
            if (instances > instances()) {
                set(reason, instances);
            }
        }

        void atMost(ScalingReason reason, int instances) {
            if (instances < instances()) {
                set(reason, instances);
            }
        }

        Decision end(Decision.Load load) {
            return new Decision(instances(), rules, load);
        }
    }
}
