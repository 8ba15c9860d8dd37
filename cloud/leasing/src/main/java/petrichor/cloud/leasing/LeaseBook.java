package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;

/** All leases that have not ended, mirroring the log. Confined to the thread of {@link Leasing}. */
final class LeaseBook {
    private final LeaseLog log;
    private final InstanceSelector market;
    private final Map<String, Lease> leases = new LinkedHashMap<>();

    /**
     * Tokens of ended leases too: stale answers still contain their machines, which are ignored.
     */
    private final Set<String> tokens = new HashSet<>();

    LeaseBook(LeaseLog log, InstanceSelector market) {
        this.log = log;
        this.market = market;
        for (LeaseLine line : log.lines()) {
            tokens.add(line.token());
            if (line.state() == LeaseState.ENDED) {
                leases.remove(line.token());
            } else {
                Lease lease = Lease.of(line, type(line.type()));
                // The writer may have been killed after it sent the launch.
                lease.unconfirmed = line.state() == LeaseState.REQUESTED;
                leases.put(line.token(), lease);
            }
        }
    }

    /** A type that is no longer offered can only be released. */
    private InstanceType type(String name) {
        return market.type(name)
                .orElseGet(() -> new InstanceType(name, 1, 1, 0, Money.ZERO, Duration.ZERO));
    }

    List<Lease> all() {
        return List.copyOf(leases.values());
    }

    List<Lease> in(LeaseState state) {
        List<Lease> some = new ArrayList<>();
        for (Lease lease : leases.values()) {
            if (lease.state() == state) {
                some.add(lease);
            }
        }
        return some;
    }

    Optional<Lease> ofInstance(String instance) {
        for (Lease lease : leases.values()) {
            if (lease.known() && lease.instance().equals(instance)) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
    }

    @Nullable Lease ofToken(String token) {
        return leases.get(token);
    }

    boolean ever(String token) {
        return tokens.contains(token);
    }

    /** Records a new lease before the machine is requested. */
    Lease ask(String token, InstanceSelector.Offer offer, StageId purpose, Instant now) {
        return begin(
                new LeaseLine(
                        now,
                        token,
                        offer.type().name(),
                        offer.purchase(),
                        offer.bid(),
                        LeaseState.REQUESTED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "for stage " + purpose));
    }

    /** Records a machine with this owner's tag whose lease is unknown. */
    void adopt(Instance instance, Instant now) {
        begin(
                new LeaseLine(
                        now,
                        instance.token(),
                        instance.type(),
                        instance.purchase(),
                        Optional.empty(),
                        LeaseState.STARTING,
                        Optional.of(instance.id()),
                        instance.running(),
                        Optional.empty(),
                        Optional.empty(),
                        "found in the cloud"));
    }

    private Lease begin(LeaseLine line) {
        log.add(line);
        Lease lease = Lease.of(line, type(line.type()));
        tokens.add(line.token());
        leases.put(line.token(), lease);
        return lease;
    }

    void become(Lease lease, LeaseState next, Instant now, String why) {
        lease.become(next, now, why);
        write(lease, now);
    }

    void use(Lease lease, StageId stage, String need, Instant now) {
        lease.use(stage, need, now);
        write(lease, now);
    }

    /**
     * Ends a lease whose machine no longer exists.
     *
     * @param when end of the machine, if known
     */
    void end(Lease lease, Instant when, String why) {
        lease.become(LeaseState.ENDED, when, why);
        write(lease, when);
        leases.remove(lease.token());
    }

    void write(Lease lease, Instant now) {
        log.add(lease.line(now));
    }
}
