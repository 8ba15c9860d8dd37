package petrichor.cloud.leasing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;
import petrichor.cloud.simulated.SimulatedCloud;
import petrichor.cloud.simulated.VirtualClock;

/** Tests the leasing thread with stages on other threads, in a cloud with faults. */
@Timeout(120)
class LeasingLoopTest {
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final Need TWO =
            Need.of("two", new Need.Wish.Named(CloudSetting.M1_SMALL.name()), 2);
    private static final CloudSetting SECONDS =
            CloudSetting.of(Billing.PER_SECOND, CloudSetting.M1_SMALL);

    private final VirtualClock clock = new VirtualClock(World.BEGIN);
    private final AtomicLong steps = new AtomicLong();
    private final AtomicInteger tokens = new AtomicInteger();

    /** A stage that runs on the test's thread, while the loop's thread leases for it. */
    private static final class Stage implements StageDemand {
        private final StageId id;
        private final List<Leased> machines = new ArrayList<>();
        private final List<String> reasons = new ArrayList<>();
        private boolean gaveUp;

        Stage(int number) {
            this.id = new StageId("loop", number);
        }

        @Override
        public StageId id() {
            return id;
        }

        @Override
        public List<Need> needs() {
            return List.of(TWO);
        }

        @Override
        public Phase phase() {
            return Phase.WANTED;
        }

        @Override
        public synchronized void granted(Need need, List<Leased> more) {
            machines.addAll(more);
        }

        @Override
        public synchronized void waits(String reason) {
            reasons.add(reason);
        }

        @Override
        public synchronized void gaveUp(String reason) {
            reasons.add(reason);
            gaveUp = true;
        }

        @Override
        public synchronized void lost(Leased machine, String reason) {
            machines.remove(machine);
        }

        synchronized boolean complete() {
            return machines.size() == TWO.count();
        }

        synchronized boolean hasGivenUp() {
            return gaveUp;
        }

        synchronized List<String> reasons() {
            return List.copyOf(reasons);
        }
    }

    private Leasing leasing(Cloud cloud, SimulatedCloud workers, Duration waitMax) {
        Workers answering =
                new Workers() {
                    @Override
                    public boolean answers(String instance) {
                        return workers.answers(instance);
                    }

                    @Override
                    public boolean emptied(String instance, Instant by) {
                        return true;
                    }
                };
        return new Leasing(
                new Leasing.Parts(
                        cloud,
                        "loop",
                        clock,
                        new MemoryLog(),
                        answering,
                        SpotChoice.NEVER,
                        () -> "token-%06d".formatted(tokens.incrementAndGet())),
                LeasingLimits.DEFAULT.withWaitMax(waitMax));
    }

    private LeasingLoop loop(Leasing leasing, Collection<Stage> stages) {
        return LeasingLoop.start(
                leasing,
                clock,
                () -> {
                    steps.incrementAndGet();
                    synchronized (stages) {
                        return List.copyOf(stages);
                    }
                });
    }

    /** Advances the time step by step, each executed by the loop's own thread. */
    private void until(String what, LeasingLoop loop, BooleanSupplier condition, Duration most) {
        Instant end = clock.instant().plus(most);
        while (!condition.getAsBoolean()) {
            assertThat(clock.instant()).as("not within %s: %s", most, what).isBefore(end);
            clock.advance(STEP);
            // The second step from now starts after the next one has ended.
            long started = steps.get();
            while (steps.get() < started + 2) {
                loop.wake();
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theWaitForACloudWithoutMachinesIsLimited() {
        SimulatedCloud cloud =
                new SimulatedCloud(
                        SECONDS.withCapacity(Map.of(CloudSetting.M1_SMALL.name(), 1)),
                        clock,
                        FaultProfile.NONE,
                        1);
        Stage stage = new Stage(0);
        Leasing leasing = leasing(cloud, cloud, Duration.ofMinutes(10));
        List<Stage> stages = new ArrayList<>(List.of(stage));
        try (LeasingLoop loop = loop(leasing, stages)) {
            until("it gives up", loop, stage::hasGivenUp, Duration.ofMinutes(15));
            assertThat(stage.reasons().getFirst()).contains("1 of 2 machines for two are missing");
            assertThat(stage.reasons().getLast())
                    .contains("after 10 minutes", "error of the cloud");
            until("nothing is leased", loop, () -> cloud.leased().isEmpty(), Duration.ofHours(1));
        }
    }

    @Test
    void oneStaleRowNeverStopsTheLoop() {
        SimulatedCloud cloud = new SimulatedCloud(SECONDS, clock, FaultProfile.NONE, 1);
        Stage stage = new Stage(0);
        List<Stage> stages = new ArrayList<>(List.of(stage));
        try (LeasingLoop loop =
                loop(leasing(new CloudWithABadRow(cloud), cloud, Duration.ofMinutes(30)), stages)) {
            until("it has its machines", loop, stage::complete, Duration.ofMinutes(20));
            synchronized (stages) {
                stages.clear();
            }
            until("nothing is leased", loop, () -> cloud.leased().isEmpty(), Duration.ofHours(1));
        }
    }

    @Test
    void aStepThatFailsIsFollowedByTheNext() {
        SimulatedCloud cloud = new SimulatedCloud(SECONDS, clock, FaultProfile.NONE, 1);
        Stage stage = new Stage(0);
        AtomicInteger failures = new AtomicInteger(3);
        try (LeasingLoop loop =
                LeasingLoop.start(
                        leasing(cloud, cloud, Duration.ofMinutes(30)),
                        clock,
                        () -> {
                            steps.incrementAndGet();
                            if (failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("on purpose");
                            }
                            return List.of(stage);
                        })) {
            until("it has its machines", loop, stage::complete, Duration.ofMinutes(20));
        }
    }

    @Test
    void underFaultsStagesGetMachinesOrAReasonAndAllAreReleased() {
        long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
        SimulatedCloud cloud =
                new SimulatedCloud(
                        SECONDS.withCapacity(Map.of(CloudSetting.M1_SMALL.name(), 5)),
                        clock,
                        FaultProfile.HEAVY,
                        seed);
        List<Stage> stages = new ArrayList<>(List.of(new Stage(0), new Stage(1), new Stage(2)));
        List<Stage> all = List.copyOf(stages);
        try (LeasingLoop loop = loop(leasing(cloud, cloud, Duration.ofMinutes(40)), stages)) {
            // Two of the three fit; the third gets its machines when one of them ends.
            until(
                    "-Dseed=" + seed + ": every stage had its machines, or a reason",
                    loop,
                    () -> {
                        synchronized (stages) {
                            stages.removeIf(each -> each.complete() || each.hasGivenUp());
                            return stages.isEmpty();
                        }
                    },
                    Duration.ofHours(4));
            assertThat(all)
                    .as("-Dseed=%d", seed)
                    .allMatch(each -> each.complete() || !each.reasons().isEmpty());
            until(
                    "-Dseed=" + seed + ": nothing is leased",
                    loop,
                    () -> cloud.leased().isEmpty(),
                    Duration.ofHours(4));
        }
    }
}
