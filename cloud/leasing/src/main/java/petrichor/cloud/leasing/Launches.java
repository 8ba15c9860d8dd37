package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.cloud.Cloud;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;

/** Sends launch requests to the cloud. Confined to the thread of {@link Leasing}. */
final class Launches {
    private final Cloud cloud;
    private final String owner;
    private final InstantSource clock;
    private final LeaseBook book;
    private final InstanceSelector market;
    private final LeasingLimits limits;
    private final Supplier<String> tokens;
    private Instant throttledUntil = Instant.MIN;

    Launches(
            Cloud cloud,
            String owner,
            InstantSource clock,
            LeaseBook book,
            InstanceSelector market,
            LeasingLimits limits,
            Supplier<String> tokens) {
        this.cloud = cloud;
        this.owner = owner;
        this.clock = clock;
        this.book = book;
        this.market = market;
        this.limits = limits;
        this.tokens = tokens;
    }

    boolean throttled() {
        return clock.instant().isBefore(throttledUntil);
    }

    /**
     * Requests one more machine.
     *
     * @return the lease, unless the cloud has no such machine
     */
    Optional<Lease> ask(InstanceSelector.Offer offer, Lease.Purpose purpose) {
        Lease lease = book.ask(tokens.get(), offer, purpose.stage(), clock.instant());
        lease.purpose = purpose;
        send(lease, purpose.stage().toString());
        return lease.state() == LeaseState.ENDED ? Optional.empty() : Optional.of(lease);
    }

    /**
     * Repeats a launch with the same token, which finds a machine whose launch was not confirmed.
     */
    void again(Lease lease, StageId purpose) {
        if (!throttled() && !clock.instant().isBefore(lease.nextCall)) {
            send(lease, purpose.toString());
        }
    }

    private void send(Lease lease, String purpose) {
        LaunchResult result;
        try {
            result = cloud.launch(lease.request(new LeaseTag(owner, purpose)));
        } catch (RuntimeException e) {
            result = new LaunchResult.Unknown(String.valueOf(e.getMessage()));
        }
        Instant now = clock.instant();
        switch (result) {
            case LaunchResult.Launched launched -> {
                lease.instance(launched.instance().id());
                launched.instance().running().ifPresent(lease::running);
                book.become(lease, LeaseState.STARTING, now, "launched");
            }
            case LaunchResult.Refused refused -> none(lease, refused.reason(), now);
            case LaunchResult.NoCapacity none -> none(lease, none.reason(), now);
            case LaunchResult.Throttled throttled -> {
                Duration wait = longer(throttled.retryAfter(), limits.pollInterval());
                throttledUntil = now.plus(wait);
                lease.nextCall = throttledUntil;
            }
            case LaunchResult.Unknown _ -> {
                lease.unconfirmed = true;
                lease.nextCall = now.plus(limits.pollInterval());
            }
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void none(Lease lease, String reason, Instant now) {
        market.none(lease, now.plus(limits.capacityPause()), reason);
        if (lease.unconfirmed) {
            // An earlier launch with this token may have taken effect.
            lease.nextCall = now.plus(limits.capacityPause());
        } else {
            book.end(lease, now, "error of the cloud: " + reason);
        }
    }
}
