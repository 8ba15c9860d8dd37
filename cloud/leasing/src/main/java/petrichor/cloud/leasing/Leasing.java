package petrichor.cloud.leasing;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import petrichor.cloud.Cloud;

/**
 * Leases machines for stages and releases them. A reconciliation loop: each {@link #step} observes
 * the cloud and the workers, compares them with the demand of the stages, and executes the missing
 * actions, all in the calling thread. A failed call is repeated by the next step.
 *
 * <p>A step does not throw failures of the cloud. It throws failures of the log, because a machine
 * whose lease cannot be recorded must not be requested; after such a failure, open a new object.
 */
public final class Leasing {
    private final InstantSource clock;
    private final LeaseBook book;
    private final LeasingLimits limits;
    private final CloudObserver observer;
    private final Assignment assignment;
    private final MachineRelease release;

    /**
     * The components used by leasing.
     *
     * @param owner tag of every machine; unknown machines with it are used or released
     * @param tokens must be unique, even across restarts
     */
    public record Parts(
            Cloud cloud,
            String owner,
            InstantSource clock,
            LeaseLog log,
            Workers workers,
            SpotChoice spot,
            Supplier<String> tokens) {
        public static Parts of(Cloud cloud, String owner, LeaseLog log, Workers workers) {
            return new Parts(
                    cloud,
                    owner,
                    InstantSource.system(),
                    log,
                    workers,
                    SpotChoice.NEVER,
                    () -> UUID.randomUUID().toString());
        }

        public Parts with(SpotChoice choice) {
            return new Parts(cloud, owner, clock, log, workers, choice, tokens);
        }
    }

    /** The current state of one machine, for display. */
    public record StageStatus(
            String token,
            String type,
            LeaseState state,
            Instant since,
            String stage,
            String reason) {}

    /** Restores the leases in the log. */
    public Leasing(Parts parts, LeasingLimits limits) {
        this.clock = parts.clock();
        this.limits = limits;
        Cloud cloud = parts.cloud();
        InstanceSelector selector = new InstanceSelector(cloud.types(), parts.spot());
        this.book = new LeaseBook(parts.log(), selector);
        this.observer =
                new CloudObserver(cloud, parts.owner(), clock, book, parts.workers(), limits);
        this.release = new MachineRelease(cloud, clock, book, parts.workers(), limits);
        Launches launches =
                new Launches(cloud, parts.owner(), clock, book, selector, limits, parts.tokens());
        this.assignment =
                new Assignment(
                        cloud.billing(), clock, book, selector, launches, limits, release.margin());
    }

    /**
     * Executes the actions that are due.
     *
     * @param demands all stages; a missing stage has ended
     * @return latest time of the next call
     */
    public Instant step(Collection<? extends StageDemand> demands) {
        Map<StageId, StageDemand> stages = new LinkedHashMap<>();
        for (StageDemand demand : demands) {
            if (stages.put(demand.id(), demand) != null) {
                throw new IllegalArgumentException("two stages are " + demand.id());
            }
        }
        observer.observe(stages);
        assignment.assign(stages);
        release.run();
        return clock.instant().plus(limits.pollInterval());
    }

    /** Whether no machine is leased, and none may be. */
    public boolean quiet() {
        return book.all().isEmpty();
    }

    /** All machines that are leased, or may be. */
    public List<StageStatus> statuses() {
        return book.all().stream()
                .map(
                        lease ->
                                new StageStatus(
                                        lease.token(),
                                        lease.type().name(),
                                        lease.state(),
                                        lease.since(),
                                        String.valueOf(lease.stage()),
                                        lease.reason()))
                .toList();
    }
}
