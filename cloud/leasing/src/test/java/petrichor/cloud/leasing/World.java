package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;
import petrichor.cloud.simulated.SimulatedCloud;
import petrichor.cloud.simulated.VirtualClock;

/**
 * A simulated cloud, leasing that can be killed and restarted, and jobs whose stages follow each
 * other.
 */
final class World implements Workers {
    static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration STEP = Duration.ofSeconds(5);

    final VirtualClock clock = new VirtualClock(BEGIN);
    final SimulatedCloud cloud;
    final MemoryLog log = new MemoryLog();
    final Set<String> taken = new HashSet<>();
    final List<List<SimulatedStage>> jobs = new ArrayList<>();
    final List<Outage> outages = new ArrayList<>();
    final LeasingLimits limits;
    private final KillSwitch kills;
    private final SplittableRandom random;
    private final SpotChoice spot;
    private Leasing leasing;
    private int tokens;

    /** A period in which no process leased. */
    record Outage(Instant from, Instant to) {}

    World(
            CloudSetting setting,
            FaultProfile weather,
            LeasingLimits limits,
            long seed,
            double kills) {
        this(setting, weather, limits, seed, kills, SpotChoice.NEVER);
    }

    World(
            CloudSetting setting,
            FaultProfile weather,
            LeasingLimits limits,
            long seed,
            double kills,
            SpotChoice spot) {
        this.cloud = new SimulatedCloud(setting, clock, weather, seed);
        this.limits = limits;
        this.spot = spot;
        this.kills = new KillSwitch(seed ^ 0x5eed, kills);
        this.random = new SplittableRandom(seed);
        this.leasing = open();
    }

    private Leasing open() {
        Cloud deadly = kills.cloud(cloud);
        return new Leasing(
                new Leasing.Parts(
                        deadly,
                        "test",
                        clock,
                        kills.log(log),
                        this,
                        spot,
                        () -> "token-%06d".formatted(++tokens)),
                limits);
    }

    /** Restarts leasing after a kill. */
    void restart() {
        leasing = open();
    }

    static Optional<Money> dear(InstanceType type, Optional<Duration> work) {
        return Optional.of(type.pricePerHour());
    }

    Leasing leasing() {
        return leasing;
    }

    void job(SimulatedStage... stages) {
        jobs.add(new ArrayList<>(List.of(stages)));
    }

    SimulatedStage stage(String job, int number, Duration work, Need... needs) {
        return new SimulatedStage(
                new StageId(job, number), List.of(needs), work, false, clock, cloud, taken);
    }

    /** One step of leasing, and of the jobs. */
    void step() {
        List<SimulatedStage> demands = new ArrayList<>();
        for (List<SimulatedStage> job : jobs) {
            job.removeIf(stage -> stage.ended);
            if (!job.isEmpty() && job.getFirst().ready()) {
                job.getFirst().want();
            }
            demands.addAll(job);
        }
        try {
            leasing.step(demands);
        } catch (Killed _) {
            outage(demands);
        }
        clock.advance(STEP);
        Duration timeout = limits.waitMax().plus(Duration.ofMinutes(10));
        for (SimulatedStage stage : demands) {
            if (stage.gaveUp) {
                stage.suspend();
            }
            stage.work(timeout);
        }
    }

    private void outage(List<SimulatedStage> demands) {
        Instant from = clock.instant();
        demands.forEach(SimulatedStage::forget);
        clock.advance(Duration.ofSeconds(random.nextInt(20 * 60)));
        outages.add(new Outage(from, clock.instant()));
        // Waits of the stages restart too.
        demands.forEach(SimulatedStage::forget);
        leasing = open();
    }

    boolean done() {
        return jobs.stream().allMatch(job -> job.stream().allMatch(stage -> stage.ended));
    }

    void noMoreKills() {
        kills.off();
    }

    void until(String what, BooleanSupplier condition, Duration most) {
        Instant end = clock.instant().plus(most);
        while (!condition.getAsBoolean()) {
            if (clock.instant().isAfter(end)) {
                throw new AssertionError(
                        "not within " + most + ": " + what + "; " + leasing.statuses() + jobs);
            }
            step();
        }
    }

    void pass(Duration time) {
        Instant end = clock.instant().plus(time);
        while (clock.instant().isBefore(end)) {
            step();
        }
    }

    @Override
    public boolean answers(String instance) {
        return cloud.answers(instance);
    }

    @Override
    public boolean emptied(String instance, Instant by) {
        return random.nextInt(4) == 0;
    }
}
