package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Billing;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.Purchase;

/**
 * A machine of the simulated cloud: the times of its state changes, some of them in the future. Its
 * state at any time follows from them, so that stale answers are computed like current ones.
 */
final class Machine {
    private final String id;
    private final LaunchRequest request;
    private final InstanceType type;
    private final Duration boot;
    private final @Nullable PriceTrace spot;
    private Instant launched;
    private @Nullable Instant endRequested;
    private @Nullable Instant ended;

    /** Times of a spot machine's interruption notice and of its reclaim; null means never. */
    private @Nullable Instant noticed;

    private @Nullable Instant taken;
    private final List<Span> uses = new ArrayList<>();
    private @Nullable Instant usedSince;

    private record Span(Instant from, Instant to) {
        Duration within(Instant begin, Instant end) {
            Instant first = from.isAfter(begin) ? from : begin;
            Instant last = to.isBefore(end) ? to : end;
            return first.isBefore(last) ? Duration.between(first, last) : Duration.ZERO;
        }
    }

    Machine(
            String id,
            LaunchRequest request,
            InstanceType type,
            Instant launched,
            Duration boot,
            @Nullable PriceTrace spot) {
        this.id = id;
        this.request = request;
        this.type = type;
        this.launched = launched;
        this.boot = boot;
        this.spot = spot;
    }

    String id() {
        return id;
    }

    LaunchRequest request() {
        return request;
    }

    Instant launched() {
        return launched;
    }

    /** Moves a delayed launch to this time. */
    void launchAt(Instant moment) {
        launched = moment;
    }

    private Instant runs() {
        return launched.plus(boot);
    }

    void taken(Instant notice, Instant end) {
        noticed = notice;
        taken = end;
    }

    @Nullable Instant noticed() {
        return noticed;
    }

    @Nullable Instant taken() {
        return taken;
    }

    void endRequested(Instant now, Instant end) {
        if (endRequested == null) {
            endRequested = now;
            ended = end;
        }
    }

    boolean isEndRequested() {
        return endRequested != null;
    }

    /** The time of its termination, if known. */
    Optional<Instant> end() {
        if (ended != null && taken != null) {
            return Optional.of(ended.isBefore(taken) ? ended : taken);
        }
        return Optional.ofNullable(ended != null ? ended : taken);
    }

    InstanceState state(Instant moment) {
        Optional<Instant> end = end();
        if (end.isPresent() && !moment.isBefore(end.get())) {
            return InstanceState.TERMINATED;
        }
        if (endRequested != null && !moment.isBefore(endRequested)) {
            return InstanceState.STOPPING;
        }
        return moment.isBefore(runs()) ? InstanceState.PENDING : InstanceState.RUNNING;
    }

    /** Its state at a time; empty before the launch. */
    Optional<Instance> at(Instant moment) {
        if (moment.isBefore(launched)) {
            return Optional.empty();
        }
        InstanceState state = state(moment);
        boolean ran = !moment.isBefore(runs());
        return Optional.of(
                new Instance(
                        id,
                        request.token(),
                        type.name(),
                        request.purchase(),
                        request.tag(),
                        state,
                        launched,
                        ran ? Optional.of(runs()) : Optional.empty(),
                        state == InstanceState.RUNNING
                                ? Optional.of(id + ".simulated")
                                : Optional.empty()));
    }

    void use(Instant now) {
        if (usedSince == null) {
            usedSince = now;
        }
    }

    void idle(Instant now) {
        if (usedSince != null) {
            uses.add(new Span(usedSince, now));
            usedSince = null;
        }
    }

    /** Its cost so far; empty if it never ran. */
    Optional<Bill.Line> line(Billing billing, Instant now) {
        Instant runs = runs();
        Instant to = end().filter(end -> end.isBefore(now)).orElse(now);
        if (!runs.isBefore(to)) {
            return Optional.empty();
        }
        List<Bill.Unit> units = new ArrayList<>();
        Instant paidUntil = billing.paidUntil(runs, to);
        if (billing == Billing.WHOLE_HOURS) {
            for (Instant hour = runs; hour.isBefore(paidUntil); hour = hour.plus(billing.unit())) {
                Instant next = hour.plus(billing.unit());
                // An hour that the cloud itself interrupted is not billed.
                boolean cut = to.equals(taken) && next.isAfter(to);
                Money paid =
                        cut ? Money.ZERO : billing.cost(price(hour), Duration.between(hour, next));
                units.add(new Bill.Unit(hour, next, paid, used(hour, next, now)));
            }
        } else {
            Money paid = billing.cost(price(runs), Duration.between(runs, to));
            units.add(new Bill.Unit(runs, paidUntil, paid, used(runs, to, now)));
        }
        Money paid = units.stream().map(Bill.Unit::paid).reduce(Money.ZERO, Money::plus);
        return Optional.of(
                new Bill.Line(
                        id,
                        type.name(),
                        request.tag().owner(),
                        request.tag().purpose(),
                        runs,
                        to,
                        paid,
                        used(runs, to, now),
                        units));
    }

    private Money price(Instant moment) {
        return request.purchase() == Purchase.SPOT && spot != null
                ? spot.at(moment)
                : type.pricePerHour();
    }

    private Duration used(Instant from, Instant to, Instant now) {
        Duration used = Duration.ZERO;
        for (Span use : uses) {
            used = used.plus(use.within(from, to));
        }
        if (usedSince != null) {
            used = used.plus(new Span(usedSince, now).within(from, to));
        }
        return used;
    }
}
