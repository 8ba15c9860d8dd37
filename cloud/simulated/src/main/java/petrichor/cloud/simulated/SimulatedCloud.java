package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.CloudLimits;
import petrichor.cloud.Description;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.Listing;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.Purchase;
import petrichor.cloud.TerminateResult;

/**
 * A cloud on a simulated clock. The same seed and the same calls return the same answers and the
 * same bill. Terminations are reliable: an accepted one takes effect, and {@code Gone} is true.
 * Everything else may be stale, incomplete or wrong, as configured by the {@link FaultProfile}.
 * Thread-safe; deterministic with one thread.
 */
public final class SimulatedCloud implements Cloud {
    private static final double HALF_OF_THE_ROWS = 0.5;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final CloudSetting setting;
    private final VirtualClock clock;
    private final SplittableRandom random;
    private final Map<String, InstanceType> types = new LinkedHashMap<>();
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, Machine> byToken = new LinkedHashMap<>();
    private FaultProfile weather;

    public SimulatedCloud(
            CloudSetting setting, VirtualClock clock, FaultProfile weather, long seed) {
        this.setting = setting;
        this.clock = clock;
        this.weather = weather;
        // Decorrelates neighbouring seeds.
        this.random = new SplittableRandom(new SplittableRandom(seed).nextLong());
        setting.types().forEach(type -> types.put(type.name(), type));
    }

    /** Changes the fault profile from now on; faults that were already drawn remain. */
    public synchronized void weather(FaultProfile next) {
        weather = next;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public CloudLimits limits() {
        return setting.limits();
    }

    @Override
    public Billing billing() {
        return setting.billing();
    }

    @Override
    public List<InstanceType> types() {
        return setting.types();
    }

    @Override
    public synchronized LaunchResult launch(LaunchRequest request) {
        Instant now = passed();
        Machine earlier = byToken.get(request.token());
        InstanceType type = types.get(request.type());
        if (type == null) {
            return new LaunchResult.Refused("there is no instance type " + request.type());
        }
        if (in(weather.refuses())) {
            return switch (random.nextInt(3)) {
                case 0 -> new LaunchResult.Refused("refused by fault injection");
                case 1 -> new LaunchResult.Throttled(RETRY_AFTER);
                default -> new LaunchResult.NoCapacity("no " + type.name() + " now");
            };
        }
        if (earlier == null) {
            Optional<String> lacking = lacking(request, type, now);
            if (lacking.isPresent()) {
                return new LaunchResult.NoCapacity(lacking.get());
            }
        }
        boolean forgotten = in(weather.forgets());
        if (forgotten && random.nextBoolean()) {
            return new LaunchResult.Unknown("the connection broke before the launch");
        }
        boolean late = forgotten && earlier == null && random.nextBoolean();
        Machine machine =
                earlier != null
                        ? earlier
                        : launched(
                                request,
                                type,
                                late ? now.plus(upTo(limits().launchSettles())) : now);
        if (!late && machine.launched().isAfter(now)) {
            machine.launchAt(now);
        }
        if (forgotten) {
            return new LaunchResult.Unknown("the connection broke");
        }
        return new LaunchResult.Launched(machine.at(now).orElseThrow());
    }

    private Optional<String> lacking(LaunchRequest request, InstanceType type, Instant now) {
        long all = machines.values().stream().filter(m -> exists(m, now)).count();
        if (all >= limits().instancesMax()) {
            return Optional.of("this account may have " + limits().instancesMax() + " machines");
        }
        Integer most = setting.capacity().get(type.name());
        long same =
                machines.values().stream()
                        .filter(m -> m.request().type().equals(type.name()) && exists(m, now))
                        .count();
        if (most != null && same >= most) {
            return Optional.of("all " + most + " machines of type " + type.name() + " are in use");
        }
        for (CloudSetting.CapacityShortage drought : setting.droughts()) {
            if (drought.type().equals(type.name())
                    && !now.isBefore(drought.from())
                    && now.isBefore(drought.to())) {
                return Optional.of("no machines of type " + type.name());
            }
        }
        if (request.purchase() == Purchase.SPOT) {
            PriceTrace prices = setting.spotPrices().get(type.name());
            if (prices == null || prices.at(now).compareTo(bid(request, type)) > 0) {
                return Optional.of("no spot machines of type " + type.name() + " at this price");
            }
        }
        return Optional.empty();
    }

    private static boolean exists(Machine machine, Instant now) {
        return machine.state(now) != InstanceState.TERMINATED;
    }

    private static Money bid(LaunchRequest request, InstanceType type) {
        return request.bidMax().orElse(type.pricePerHour());
    }

    private Machine launched(LaunchRequest request, InstanceType type, Instant when) {
        String id = "i-%06d".formatted(machines.size() + 1);
        PriceTrace prices = setting.spotPrices().get(type.name());
        // Between half and one and a half times the typical boot time.
        Duration boot = type.bootEstimate().dividedBy(2).plus(upTo(type.bootEstimate()));
        Machine machine = new Machine(id, request, type, when, boot, prices);
        if (request.purchase() == Purchase.SPOT && prices != null) {
            foresee(machine, prices, bid(request, type), when);
        }
        machines.put(id, machine);
        byToken.put(request.token(), machine);
        return machine;
    }

    /** Schedules the reclaim, which follows from the future prices. */
    private void foresee(Machine machine, PriceTrace prices, Money bid, Instant from) {
        Instant notice = null;
        for (PricePoint point : prices.points()) {
            if (point.from().isAfter(from) && point.pricePerHour().compareTo(bid) > 0) {
                notice = point.from();
                break;
            }
        }
        if (weather.interruptionsPerHour() > 0) {
            double hours = -Math.log(1 - random.nextDouble()) / weather.interruptionsPerHour();
            Instant drawn = from.plusSeconds((long) Math.min(hours * 3600, 1e9));
            notice = notice == null || drawn.isBefore(notice) ? drawn : notice;
        }
        if (notice != null) {
            machine.taken(notice, notice.plus(limits().noticeMin()));
        }
    }

    @Override
    public synchronized TerminateResult terminate(String instance) {
        Instant now = passed();
        Machine machine = machines.get(instance);
        if (in(weather.refuses())) {
            return new TerminateResult.Throttled(RETRY_AFTER);
        }
        if (machine == null || machine.state(now) == InstanceState.TERMINATED) {
            return new TerminateResult.Gone();
        }
        boolean forgotten = in(weather.forgets());
        if (!forgotten || random.nextBoolean()) {
            machine.endRequested(now, now.plus(upTo(limits().terminationTakes())));
        }
        return forgotten
                ? new TerminateResult.Unknown("the connection broke")
                : new TerminateResult.Accepted();
    }

    @Override
    public synchronized Listing list(String owner) {
        Instant now = passed();
        if (in(weather.silent())) {
            return new Listing.NotNow("no answer");
        }
        Instant seen = seen(now);
        boolean half = in(weather.half());
        List<Listing.Row> rows = new ArrayList<>();
        for (Machine machine : machines.values()) {
            if (!machine.request().tag().owner().equals(owner) || (half && in(HALF_OF_THE_ROWS))) {
                continue;
            }
            machine.at(seen).ifPresent(instance -> rows.add(row(instance)));
        }
        return new Listing.Rows(rows, true);
    }

    private Listing.Row row(Instance instance) {
        if (in(weather.lies())) {
            return random.nextBoolean()
                    ? new Listing.Row.Garbled(instance.id(), "no such state: rnning")
                    : new Listing.Row.Seen(lie(instance));
        }
        return new Listing.Row.Seen(instance);
    }

    private Instance lie(Instance instance) {
        InstanceState[] states = InstanceState.values();
        InstanceState other = states[random.nextInt(states.length)];
        return other == InstanceState.RUNNING && instance.running().isEmpty()
                ? instance.in(InstanceState.TERMINATED)
                : instance.in(other);
    }

    @Override
    public synchronized Description describe(String id) {
        Instant now = passed();
        if (in(weather.silent())) {
            return new Description.NotNow("no answer");
        }
        Machine machine = machines.get(id);
        Optional<Instance> instance = machine == null ? Optional.empty() : machine.at(seen(now));
        if (instance.isEmpty()) {
            return new Description.Missing();
        }
        return new Description.Known(in(weather.lies()) ? lie(instance.get()) : instance.get());
    }

    @Override
    public synchronized List<PricePoint> spotPrices(String type, Instant from, Instant to) {
        PriceTrace prices = setting.spotPrices().get(type);
        // Future prices are unknown.
        Instant known = to.isAfter(clock.instant()) ? clock.instant() : to;
        return prices == null ? List.of() : prices.between(from, known);
    }

    @Override
    public synchronized List<InterruptionNotice> interruptions() {
        Instant now = passed();
        List<InterruptionNotice> notices = new ArrayList<>();
        if (in(weather.silent())) {
            return notices;
        }
        for (Machine machine : machines.values()) {
            Instant noticed = machine.noticed();
            Instant taken = machine.taken();
            if (noticed != null
                    && taken != null
                    && !now.isBefore(noticed)
                    && machine.state(now).alive()) {
                notices.add(
                        new InterruptionNotice(
                                machine.id(), taken, "the cloud needs the machine for others"));
            }
        }
        return notices;
    }

    /** Machines keep running. */
    @Override
    public void close() {}

    /**
     * Whether a worker on the machine would answer: the true state, which no call of the cloud
     * returns.
     */
    public synchronized boolean answers(String instance) {
        Machine machine = machines.get(instance);
        return machine != null && machine.state(clock.instant()) == InstanceState.RUNNING;
    }

    /** Marks the machine as running a worker from now on. */
    public synchronized void use(String instance) {
        find(instance).use(clock.instant());
    }

    /** Marks the machine as idle from now on. */
    public synchronized void idle(String instance) {
        find(instance).idle(clock.instant());
    }

    private Machine find(String instance) {
        @Nullable Machine machine = machines.get(instance);
        if (machine == null) {
            throw new IllegalArgumentException("there is no machine " + instance);
        }
        return machine;
    }

    /**
     * The true list of leased machines: neither terminated nor about to terminate, nor launched
     * with a delay that has not passed.
     */
    public synchronized List<String> leased() {
        List<String> ids = new ArrayList<>();
        for (Machine machine : machines.values()) {
            if (machine.state(clock.instant()) != InstanceState.TERMINATED
                    && !machine.isEndRequested()) {
                ids.add(machine.id());
            }
        }
        return ids;
    }

    /** The bill until now. */
    public synchronized Bill bill() {
        List<Bill.Line> lines = new ArrayList<>();
        for (Machine machine : machines.values()) {
            machine.line(setting.billing(), clock.instant()).ifPresent(lines::add);
        }
        return new Bill(lines);
    }

    private Instant passed() {
        clock.advance(upTo(weather.callTakes()));
        return clock.instant();
    }

    private Instant seen(Instant now) {
        return in(weather.stale()) ? now.minus(upTo(limits().answersStale())) : now;
    }

    private Duration upTo(Duration most) {
        return most.isZero() ? most : Duration.ofMillis(random.nextLong(most.toMillis() + 1));
    }

    private boolean in(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }
}
