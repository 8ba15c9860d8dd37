package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.TerminateResult;

/**
 * Releases machines: first their data moves elsewhere, then the cloud is asked to terminate them
 * until it confirms. Confined to the thread of {@link Leasing}.
 */
final class MachineRelease {
    private final Cloud cloud;
    private final InstantSource clock;
    private final LeaseBook book;
    private final Workers workers;
    private final LeasingLimits limits;

    /** When the cloud accepted the termination of a machine, by its id. */
    private final Map<String, Instant> accepted = new HashMap<>();

    MachineRelease(
            Cloud cloud,
            InstantSource clock,
            LeaseBook book,
            Workers workers,
            LeasingLimits limits) {
        this.cloud = cloud;
        this.clock = clock;
        this.book = book;
        this.workers = workers;
        this.limits = limits;
    }

    /** How long before the end of its paid time the release of a machine must start. */
    Duration margin() {
        Duration tries = limits.pollInterval().multipliedBy(limits.endTries() + 1L);
        return limits.drainMax().plus(cloud.limits().terminationTakes()).plus(tries);
    }

    void run() {
        for (Lease lease : book.in(LeaseState.LEAVING)) {
            Instant now = clock.instant();
            // The last hour of a reclaimed machine is free, so it is not released earlier.
            boolean cutIsFree = lease.takenAt != null && cloud.billing() == Billing.WHOLE_HOURS;
            Instant by =
                    lease.takenAt != null ? lease.takenAt : lease.since().plus(limits.drainMax());
            boolean empty = workers.emptied(lease.instance(), by);
            if (!now.isBefore(by) || (empty && !cutIsFree)) {
                book.become(lease, LeaseState.ENDING, now, lease.reason());
            }
        }
        for (Lease lease : book.in(LeaseState.ENDING)) {
            if (!clock.instant().isBefore(lease.nextCall)) {
                end(lease);
            }
        }
    }

    private void end(Lease lease) {
        TerminateResult result;
        try {
            result = cloud.terminate(lease.instance());
        } catch (RuntimeException e) {
            result = new TerminateResult.Unknown(String.valueOf(e.getMessage()));
        }
        Instant now = clock.instant();
        switch (result) {
            case TerminateResult.Gone(var since) -> {
                Instant when = accepted.remove(lease.instance());
                book.end(lease, when == null ? since.orElse(now) : when, lease.reason());
            }
            case TerminateResult.Accepted _ -> {
                accepted.putIfAbsent(lease.instance(), now);
                lease.nextCall = now.plus(limits.pollInterval());
            }
            case TerminateResult.Throttled throttled ->
                    lease.nextCall = now.plus(throttled.retryAfter());
            case TerminateResult.Unknown _ -> lease.nextCall = now.plus(limits.pollInterval());
        }
    }
}
