package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.simulated.SimulatedCloud;

/**
 * A stage that works for some time once it has its machines, and restarts if one was lost. Checks
 * the guarantees of leasing.
 */
final class SimulatedStage implements StageDemand {
    private final StageId id;
    private final List<Need> needs;
    private final Duration work;
    private final boolean tellsHowLong;
    private final InstantSource clock;
    private final SimulatedCloud cloud;
    private final Set<String> taken;
    private final Map<Need, Set<String>> machines = new HashMap<>();
    private Phase phase = Phase.PLANNED;
    private @Nullable Instant worksSince;
    private @Nullable Instant wantedSince;
    private Instant sleepsUntil = Instant.MIN;
    final List<String> reasons = new ArrayList<>();
    boolean gaveUp;
    boolean ended;

    SimulatedStage(
            StageId id,
            List<Need> needs,
            Duration work,
            boolean tellsHowLong,
            InstantSource clock,
            SimulatedCloud cloud,
            Set<String> taken) {
        this.id = id;
        this.needs = needs;
        this.work = work;
        this.tellsHowLong = tellsHowLong;
        this.clock = clock;
        this.cloud = cloud;
        this.taken = taken;
    }

    SimulatedStage(
            StageId id, Duration work, InstantSource clock, SimulatedCloud cloud, Need... needs) {
        this(id, List.of(needs), work, false, clock, cloud, new HashSet<>());
    }

    boolean ready() {
        return phase == Phase.PLANNED && !clock.instant().isBefore(sleepsUntil);
    }

    void want() {
        phase = Phase.WANTED;
        wantedSince = clock.instant();
    }

    /** Simulates a job that was refused machines: it tries again after a while. */
    void suspend() {
        stop();
        sleepsUntil = clock.instant().plus(Duration.ofMinutes(5));
        phase = Phase.PLANNED;
        wantedSince = null;
        gaveUp = false;
    }

    /** Simulates the loss of its process with all of its state. */
    void forget() {
        stop();
        if (phase == Phase.WANTED) {
            want();
        }
        gaveUp = false;
    }

    private void stop() {
        machines.values().forEach(own -> own.forEach(this::release));
        machines.clear();
        worksSince = null;
    }

    private void release(String machine) {
        cloud.idle(machine);
        taken.remove(machine);
    }

    /** Advances the work. */
    void work(Duration waitMax) {
        Instant now = clock.instant();
        boolean complete =
                needs.stream()
                        .filter(need -> !need.lazy())
                        .allMatch(need -> machines(need).size() == need.count());
        if (worksSince == null) {
            if (complete && !machines.isEmpty()) {
                worksSince = now;
                machines.values().forEach(own -> own.forEach(cloud::use));
            } else if (wantedSince != null && !gaveUp && now.isAfter(wantedSince.plus(waitMax))) {
                throw new AssertionError(id + " waits since " + wantedSince + ", at " + now);
            }
        } else if (!now.isBefore(worksSince.plus(work))) {
            stop();
            ended = true;
        }
    }

    boolean working() {
        return worksSince != null;
    }

    Set<String> machines(Need need) {
        return machines.computeIfAbsent(need, _ -> new HashSet<>());
    }

    @Override
    public StageId id() {
        return id;
    }

    @Override
    public List<Need> needs() {
        return needs;
    }

    @Override
    public Phase phase() {
        return phase;
    }

    @Override
    public Optional<Duration> expected() {
        return tellsHowLong ? Optional.of(work) : Optional.empty();
    }

    @Override
    public boolean reached(Need need) {
        return worksSince != null && !clock.instant().isBefore(worksSince.plus(work.dividedBy(2)));
    }

    @Override
    public void granted(Need need, List<Leased> granted) {
        for (Leased machine : granted) {
            if (!cloud.answers(machine.instance())) {
                throw new AssertionError(machine + " does not answer, granted to " + id);
            }
            if (!taken.add(machine.instance())) {
                throw new AssertionError(machine + " has another stage, granted to " + id);
            }
            if (!need.accepts(machine.type(), machine.purchase())) {
                throw new AssertionError(machine + " does not fit " + need);
            }
            machines(need).add(machine.instance());
            if (worksSince != null) {
                cloud.use(machine.instance());
            }
        }
        if (machines(need).size() > need.count()) {
            throw new AssertionError("too many machines for " + need + ": " + machines);
        }
    }

    @Override
    public void waits(String reason) {
        reasons.add(reason);
    }

    @Override
    public void gaveUp(String reason) {
        reasons.add(reason);
        gaveUp = true;
    }

    @Override
    public void lost(Leased machine, String reason) {
        for (Set<String> own : machines.values()) {
            own.remove(machine.instance());
        }
        machines.values().forEach(own -> own.forEach(cloud::idle));
        release(machine.instance());
        worksSince = null;
        wantedSince = clock.instant();
    }

    @Override
    public String toString() {
        return id
                + " "
                + phase
                + ", works since "
                + worksSince
                + ", needs "
                + needs
                + ", has "
                + machines
                + ", gave up "
                + gaveUp
                + ", was told "
                + reasons.stream().skip(Math.max(0, reasons.size() - 2)).toList();
    }
}
