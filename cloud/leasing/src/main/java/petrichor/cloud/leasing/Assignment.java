package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import petrichor.cloud.Billing;
import petrichor.cloud.Money;

/**
 * Assigns machines to stages, and finds missing and unneeded machines. Recomputed in each step,
 * oldest stage first; a stage that cannot be completed now does not keep machines from one that
 * can. Confined to the thread of {@link Leasing}.
 */
final class Assignment {
    private final Billing billing;
    private final InstantSource clock;
    private final LeaseBook book;
    private final InstanceSelector market;
    private final Launches launches;
    private final LeasingLimits limits;
    private final Duration margin;
    private final Map<StageId, StageStatus> statuses = new LinkedHashMap<>();

    /** The assignment of one stage so far. */
    private static final class StageStatus {
        boolean started;
        boolean gaveUp;
        Instant waitsSince = Instant.MAX;
        String reason = "";
        final Set<String> startedNeeds = new HashSet<>();
    }

    Assignment(
            Billing billing,
            InstantSource clock,
            LeaseBook book,
            InstanceSelector market,
            Launches launches,
            LeasingLimits limits,
            Duration margin) {
        this.billing = billing;
        this.clock = clock;
        this.book = book;
        this.market = market;
        this.launches = launches;
        this.limits = limits;
        this.margin = margin;
    }

    void assign(Map<StageId, StageDemand> stages) {
        statuses.keySet().retainAll(stages.keySet());
        for (StageDemand stage : stages.values()) {
            StageStatus status = statuses.computeIfAbsent(stage.id(), _ -> new StageStatus());
            if (stage.phase() == StageDemand.Phase.PLANNED) {
                statuses.put(stage.id(), new StageStatus());
            } else if (!status.started) {
                restore(stage, status);
            }
        }
        takeBack(stages);
        List<StageDemand> wanted = wanted(stages);
        wanted.forEach(this::grant);
        Set<Lease> reserved = new HashSet<>();
        for (StageDemand stage : wanted) {
            supply(stage, reserved);
        }
        keepForLater(stages, reserved);
        dismiss(reserved);
    }

    private List<StageDemand> wanted(Map<StageId, StageDemand> stages) {
        List<StageDemand> wanted = new ArrayList<>();
        for (Map.Entry<StageId, StageStatus> each : statuses.entrySet()) {
            StageDemand stage = stages.get(each.getKey());
            if (stage != null
                    && stage.phase() == StageDemand.Phase.WANTED
                    && !each.getValue().gaveUp) {
                wanted.add(stage);
            }
        }
        return wanted;
    }

    private StageStatus status(StageDemand stage) {
        return statuses.computeIfAbsent(stage.id(), _ -> new StageStatus());
    }

    /** A stage keeps its machines across a restart if all of them exist; otherwise it restarts. */
    private void restore(StageDemand stage, StageStatus status) {
        List<Need> needs = stage.needs().stream().filter(need -> !need.lazy()).toList();
        if (needs.stream().allMatch(need -> present(stage, need) == need.count())) {
            status.started = true;
            for (Need need : stage.needs()) {
                List<Lease> held = held(stage, need);
                if (!held.isEmpty()) {
                    status.startedNeeds.add(need.name());
                    stage.granted(need, held.stream().map(Lease::leased).toList());
                }
            }
        } else {
            for (Lease lease : book.in(LeaseState.USED)) {
                if (stage.id().equals(lease.stage())) {
                    book.become(lease, LeaseState.IDLE, clock.instant(), "its stage restarts");
                }
            }
        }
    }

    private long present(StageDemand stage, Need need) {
        return held(stage, need).stream().filter(lease -> lease.silentSince == null).count();
    }

    private void takeBack(Map<StageId, StageDemand> stages) {
        for (Lease lease : book.in(LeaseState.USED)) {
            StageDemand stage = lease.stage() == null ? null : stages.get(lease.stage());
            if (stage == null || stage.phase() == StageDemand.Phase.PLANNED) {
                book.become(lease, LeaseState.IDLE, clock.instant(), "its stage has ended");
            }
        }
    }

    private List<Lease> held(StageDemand stage, Need need) {
        List<Lease> held = new ArrayList<>();
        for (Lease lease : book.in(LeaseState.USED)) {
            if (stage.id().equals(lease.stage()) && need.name().equals(lease.need())) {
                held.add(lease);
            }
        }
        return held;
    }

    private int missing(StageDemand stage, Need need) {
        return active(stage, need) ? need.count() - held(stage, need).size() : 0;
    }

    private boolean active(StageDemand stage, Need need) {
        return !need.lazy() || (status(stage).started && stage.reached(need));
    }

    private void grant(StageDemand stage) {
        StageStatus status = status(stage);
        List<Lease> pool = new ArrayList<>(book.in(LeaseState.IDLE));
        pool.removeIf(lease -> lease.silentSince != null);
        Map<Need, List<Lease>> picks = new LinkedHashMap<>();
        for (Need need : stage.needs()) {
            int missing = missing(stage, need);
            List<Lease> picked = pick(pool, stage, need, missing);
            boolean replaces = status.startedNeeds.contains(need.name());
            if (picked.size() < missing && !replaces) {
                if (!status.started) {
                    return;
                }
                picked = List.of();
            }
            if (!picked.isEmpty()) {
                pool.removeAll(picked);
                picks.put(need, picked);
            }
        }
        Instant now = clock.instant();
        status.started = true;
        picks.forEach(
                (need, picked) -> {
                    picked.forEach(lease -> book.use(lease, stage.id(), need.name(), now));
                    status.startedNeeds.add(need.name());
                    stage.granted(need, picked.stream().map(Lease::leased).toList());
                });
    }

    /** Prefers cheap machines; among equal ones, those with the longest paid time. */
    private List<Lease> pick(List<Lease> pool, StageDemand stage, Need need, int count) {
        Instant now = clock.instant();
        return pool.stream()
                .filter(lease -> need.accepts(lease.type(), lease.purchase()))
                .filter(lease -> worth(lease, stage, need, now))
                .sorted(
                        Comparator.comparing((Lease lease) -> lease.type().pricePerHour())
                                .thenComparing(
                                        lease -> lease.paidFor(billing, now),
                                        Comparator.reverseOrder())
                                .thenComparing(Lease::token))
                .limit(count)
                .toList();
    }

    /**
     * Whether a larger machine is worth using: only if the work ends before the next billing
     * period.
     */
    private boolean worth(Lease lease, StageDemand stage, Need need, Instant now) {
        Money cheapest = market.price(need).orElse(Money.ZERO);
        return new Lease.Purpose(stage.id(), need.name()).equals(lease.purpose)
                || lease.type().pricePerHour().compareTo(cheapest) <= 0
                || stage.expected()
                        .filter(work -> work.compareTo(lease.paidFor(billing, now)) <= 0)
                        .isPresent();
    }

    private void supply(StageDemand stage, Set<Lease> reserved) {
        StageStatus status = status(stage);
        List<Lease> own = new ArrayList<>();
        String reason = "";
        for (Need need : stage.needs()) {
            int missing = missing(stage, need);
            missing -= reserve(LeaseState.IDLE, stage, need, missing, reserved, own);
            missing -= reserve(LeaseState.STARTING, stage, need, missing, reserved, own);
            missing -= reserve(LeaseState.REQUESTED, stage, need, missing, reserved, own);
            missing -= ask(stage, need, missing, reserved, own);
            if (missing > 0) {
                reason = lacking(need, missing);
            }
        }
        for (Lease lease : own) {
            if (lease.state() == LeaseState.REQUESTED) {
                launches.again(lease, stage.id());
            }
        }
        boolean all = stage.needs().stream().allMatch(need -> missing(stage, need) == 0);
        if (all) {
            status.waitsSince = Instant.MAX;
            status.reason = "";
            return;
        }
        if (reason.isEmpty()) {
            reason = "machines are being launched";
            boolean sure = own.stream().noneMatch(lease -> lease.state() == LeaseState.REQUESTED);
            if (!sure) {
                reason = "the outcome of a launch is unknown";
                letGo(own, reserved);
            }
        } else {
            letGo(own, reserved);
        }
        waits(stage, status, reason);
        if (status.gaveUp) {
            reserved.removeAll(own);
        }
    }

    private int reserve(
            LeaseState state,
            StageDemand stage,
            Need need,
            int missing,
            Set<Lease> reserved,
            List<Lease> own) {
        if (missing <= 0) {
            return 0;
        }
        List<Lease> pool = new ArrayList<>(book.in(state));
        pool.removeAll(reserved);
        List<Lease> picked = pick(pool, stage, need, missing);
        reserved.addAll(picked);
        own.addAll(picked);
        return picked.size();
    }

    private int ask(
            StageDemand stage, Need need, int missing, Set<Lease> reserved, List<Lease> own) {
        int asked = 0;
        while (asked < missing && !launches.throttled()) {
            Optional<InstanceSelector.Offer> offer =
                    market.cheapest(need, stage.expected(), clock.instant());
            if (offer.isEmpty()) {
                break;
            }
            Optional<Lease> lease =
                    launches.ask(offer.get(), new Lease.Purpose(stage.id(), need.name()));
            if (lease.isPresent()) {
                reserved.add(lease.get());
                own.add(lease.get());
                asked++;
            }
        }
        return asked;
    }

    private String lacking(Need need, int missing) {
        return missing
                + " of "
                + need.count()
                + " machines for "
                + need.name()
                + " are missing: "
                + (launches.throttled()
                        ? "the call limit of the cloud is reached"
                        : market.why(need));
    }

    /**
     * Releases machines of a stage whose start is unknown, if they would spend their next billing
     * period waiting. Leasing them again costs no more than keeping them.
     */
    private void letGo(List<Lease> own, Set<Lease> reserved) {
        Instant now = clock.instant();
        for (Lease lease : own) {
            if (lease.state() == LeaseState.IDLE && periodEnds(lease, now)) {
                reserved.remove(lease);
            }
        }
    }

    private boolean periodEnds(Lease lease, Instant now) {
        return lease.paidFor(billing, now).compareTo(margin) <= 0;
    }

    private void waits(StageDemand stage, StageStatus status, String reason) {
        Instant now = clock.instant();
        if (status.waitsSince.equals(Instant.MAX)) {
            status.waitsSince = now;
        }
        if (now.isAfter(status.waitsSince.plus(limits.waitMax()))) {
            status.gaveUp = true;
            stage.gaveUp("after " + limits.waitMax().toMinutes() + " minutes: " + reason);
        } else if (!status.reason.equals(reason)) {
            status.reason = reason;
            stage.waits(reason);
        }
    }

    /** Keeps idle machines that a later stage can use, until the end of their paid time. */
    private void keepForLater(Map<StageId, StageDemand> stages, Set<Lease> reserved) {
        Instant now = clock.instant();
        List<Lease> pool = new ArrayList<>(book.in(LeaseState.IDLE));
        pool.removeIf(lease -> reserved.contains(lease) || periodEnds(lease, now));
        for (StageDemand stage : stages.values()) {
            List<Lease> free = new ArrayList<>(pool);
            for (Need need : stage.needs()) {
                boolean later =
                        stage.phase() == StageDemand.Phase.PLANNED
                                || (need.lazy() && !active(stage, need));
                if (later) {
                    List<Lease> kept = pick(free, stage, need, need.count());
                    reserved.addAll(kept);
                    free.removeAll(kept);
                }
            }
        }
    }

    private void dismiss(Set<Lease> reserved) {
        for (Lease lease : book.all()) {
            if (reserved.contains(lease)) {
                continue;
            }
            Instant now = clock.instant();
            switch (lease.state()) {
                case REQUESTED -> {
                    if (lease.unconfirmed) {
                        book.become(lease, LeaseState.UNCONFIRMED, now, "no longer needed");
                    } else {
                        book.end(lease, now, "no longer needed");
                    }
                }
                case STARTING -> book.become(lease, LeaseState.ENDING, now, "no longer needed");
                case IDLE ->
                        book.become(
                                lease,
                                LeaseState.LEAVING,
                                now,
                                "not needed before its next billing period");
                case USED, LEAVING, ENDING, UNCONFIRMED, ENDED -> {}
            }
        }
    }
}
