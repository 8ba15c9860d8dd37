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
 * Leases machines for stages and gives them back. Everything happens in {@link #step}, in the
 * thread that calls it: it looks at the cloud and the workers, compares with what the stages want,
 * and does what is missing. A call that failed is no more than something that is still missing in
 * the next step.
 *
 * <p>Failures of the cloud do not come out of a step; failures of the log do, since a machine that
 * cannot be written down must not be asked for. After one, open a new object.
 */
public final class Leasing {
    private final InstantSource clock;
    private final LeaseBook book;
    private final LeasingLimits limits;
    private final CloudObserver observer;
    private final Assignment assignment;
    private final MachineRelease release;

    /**
     * What leasing needs.
     *
     * @param owner written on every machine; machines with it that are unknown here are used or
     *     released
     * @param tokens never the same twice, not even after a restart
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

    /** What is known of one machine now, for people. */
    public record Standing(
            String token,
            String type,
            LeaseState state,
            Instant since,
            String stage,
            String reason) {}

    /** Takes over what the log says. */
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
     * Does what is missing now.
     *
     * @param demands all stages; a stage that is missing has ended
     * @return when to call again at the latest
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
        return clock.instant().plus(limits.lookEvery());
    }

    /** Whether nothing is leased, nor may be. */
    public boolean quiet() {
        return book.all().isEmpty();
    }

    /** What is leased, or may be. */
    public List<Standing> standings() {
        return book.all().stream()
                .map(
                        lease ->
                                new Standing(
                                        lease.token(),
                                        lease.type().name(),
                                        lease.state(),
                                        lease.since(),
                                        String.valueOf(lease.stage()),
                                        lease.reason()))
                .toList();
    }
}
