package petrichor.cloud.leasing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.cloud.simulated.CloudSetting.C1_XLARGE;
import static petrichor.cloud.simulated.CloudSetting.M1_SMALL;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Billing;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;
import petrichor.cloud.leasing.Need.Wish;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;

/** Tests the policy of the thesis, sentence by sentence. */
final class LeasingTest {
    private static final Wish SMALL = new Wish.Named("m1.small");
    private static final Wish LARGE = new Wish.Named("c1.xlarge");
    private static final CloudSetting HOURS =
            CloudSetting.of(Billing.WHOLE_HOURS, C1_XLARGE, M1_SMALL);

    private static World calm(CloudSetting setting) {
        return new World(setting, FaultProfile.NONE, LeasingLimits.DEFAULT, 1, 0);
    }

    private static Duration minutes(int count) {
        return Duration.ofMinutes(count);
    }

    @Test
    void nothingIsLeasedForAStageThatIsOnlyPlanned() {
        World world = calm(HOURS);
        world.job(
                world.stage("job", 0, minutes(10), Need.of("sort", LARGE, 2)),
                world.stage("job", 1, minutes(10), Need.of("sum", SMALL, 1)));
        world.pass(minutes(5));
        assertThat(world.cloud.bill().lines()).hasSize(2);
        assertThat(world.cloud.bill().lines())
                .allSatisfy(line -> assertThat(line.type()).isEqualTo("c1.xlarge"));
    }

    @Test
    void machinesThatNoLaterStageNeedsAreReleasedWhenTheirStageEnds() {
        World world = calm(HOURS);
        SimulatedStage first = world.stage("job", 0, minutes(10), Need.of("sort", LARGE, 2));
        world.job(first, world.stage("job", 1, minutes(100), Need.of("sum", SMALL, 1)));
        world.until("the first stage ends", () -> first.ended, minutes(30));
        world.pass(minutes(3));
        assertThat(world.leasing().statuses())
                .extracting(Leasing.StageStatus::type)
                .containsOnly("m1.small");
        world.until("all is done", world::done, minutes(200));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        assertThat(world.cloud.bill().total()).isEqualTo(Money.parse("1.80"));
        assertThat(world.cloud.bill().unused()).isEmpty();
    }

    @Test
    void aMachineIsUsedAgainWithinThePeriodThatIsPaidFor() {
        World world = calm(HOURS);
        world.job(
                world.stage("job", 0, minutes(10), Need.of("map", LARGE, 3)),
                world.stage("job", 1, minutes(10), Need.of("reduce", LARGE, 2)));
        world.until("all is done", world::done, minutes(60));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        assertThat(world.cloud.bill().lines()).as("no more than three were leased").hasSize(3);
        assertThat(world.cloud.bill().total()).isEqualTo(Money.parse("2.40"));
    }

    @Test
    void anIdleMachineIsReleasedJustBeforeTheNextBilledHour() {
        World world = calm(HOURS);
        SimulatedStage first = world.stage("job", 0, minutes(10), Need.of("map", LARGE, 1));
        SimulatedStage between = world.stage("job", 1, minutes(120), Need.of("small", SMALL, 1));
        world.job(first, between, world.stage("job", 2, minutes(10), Need.of("reduce", LARGE, 1)));
        world.until("the first stage ends", () -> first.ended, minutes(30));
        world.pass(minutes(40));
        assertThat(world.leasing().statuses())
                .as("it is paid for, and the third stage could use it")
                .filteredOn(one -> one.type().equals("c1.xlarge"))
                .hasSize(1);
        world.pass(minutes(12));
        assertThat(world.leasing().statuses())
                .filteredOn(one -> one.type().equals("c1.xlarge"))
                .isEmpty();
        world.until("all is done", world::done, minutes(200));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        // Two hours of the large type, three of the small type.
        assertThat(world.cloud.bill().total()).isEqualTo(Money.parse("1.90"));
        assertThat(world.cloud.bill().unused()).isEmpty();
    }

    @Test
    void idleMachinesAreReleasedUnderPerSecondBilling() {
        World world = calm(CloudSetting.of(Billing.PER_SECOND, C1_XLARGE, M1_SMALL));
        SimulatedStage first = world.stage("job", 0, minutes(10), Need.of("map", LARGE, 1));
        world.job(
                first,
                world.stage("job", 1, minutes(20), Need.of("small", SMALL, 1)),
                world.stage("job", 2, minutes(10), Need.of("reduce", LARGE, 1)));
        world.until("the first stage ends", () -> first.ended, minutes(30));
        world.pass(minutes(4));
        assertThat(world.leasing().statuses())
                .filteredOn(one -> one.type().equals("c1.xlarge"))
                .isEmpty();
    }

    @Test
    void theCheapestTypeThatIsLargeEnoughIsLeased() {
        World world = calm(HOURS);
        SimulatedStage stage =
                world.stage(
                        "job",
                        0,
                        minutes(10),
                        Need.of("one", new Wish.AtLeast(1, 1 << 29, 0), 1),
                        Need.of("two", new Wish.AtLeast(2, 1 << 29, 0), 1));
        world.job(stage);
        world.until("it begins", stage::working, minutes(10));
        assertThat(world.leasing().statuses())
                .extracting(Leasing.StageStatus::type)
                .containsExactlyInAnyOrder("m1.small", "c1.xlarge");
    }

    @Test
    void ifTheCheapestTypeIsUnavailableTheNextIsLeased() {
        World world =
                calm(
                        HOURS.withDroughts(
                                List.of(
                                        new CloudSetting.CapacityShortage(
                                                "m1.small",
                                                World.BEGIN,
                                                World.BEGIN.plus(minutes(100))))));
        SimulatedStage stage =
                world.stage(
                        "job", 0, minutes(10), Need.of("one", new Wish.AtLeast(1, 1 << 29, 0), 1));
        world.job(stage);
        world.until("it begins", stage::working, minutes(10));
        assertThat(world.leasing().statuses())
                .extracting(Leasing.StageStatus::type)
                .containsOnly("c1.xlarge");
    }

    @Test
    void aStageWaitsForMissingMachinesAndReportsTheReason() {
        World world =
                calm(
                        HOURS.withDroughts(
                                List.of(
                                        new CloudSetting.CapacityShortage(
                                                "c1.xlarge",
                                                World.BEGIN.plus(minutes(10)),
                                                World.BEGIN.plus(minutes(100))))));
        SimulatedStage first = world.stage("job", 0, minutes(20), Need.of("small", SMALL, 1));
        SimulatedStage second = world.stage("job", 1, minutes(20), Need.of("large", LARGE, 2));
        world.job(first, second);
        world.until("the second stage gave up", () -> waitedInVain(second), minutes(110));
        assertThat(second.reasons.toString())
                .contains("2 of 2 machines for large are missing", "no machines of type c1.xlarge");
        assertThat(world.leasing().statuses()).as("waiting machines are not paid for").isEmpty();
        world.until("it goes on", second::working, minutes(60));
        world.until("all is done", world::done, minutes(60));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        assertThat(world.cloud.bill().unused()).isEmpty();
    }

    private static boolean waitedInVain(SimulatedStage stage) {
        return stage.reasons.stream().anyMatch(reason -> reason.startsWith("after 60 minutes"));
    }

    @Test
    void aLazyNeedIsLeasedWhenItIsReached() {
        World world = calm(HOURS);
        SimulatedStage stage =
                world.stage(
                        "job",
                        0,
                        minutes(40),
                        Need.of("sort", LARGE, 1),
                        new Need("merge", SMALL, 1, true, false));
        world.job(stage);
        world.until("it begins", stage::working, minutes(10));
        world.pass(minutes(15));
        assertThat(world.leasing().statuses()).hasSize(1);
        world.pass(minutes(10));
        assertThat(stage.machines(stage.needs().getLast())).hasSize(1);
    }

    @Test
    void twoStagesThatWaitForEachOthersMachinesDoNotWaitForever() {
        World world = calm(HOURS.withCapacity(Map.of("m1.small", 2, "c1.xlarge", 1)));
        SimulatedStage greedy =
                world.stage("a", 0, minutes(10), Need.of("s", SMALL, 2), Need.of("l", LARGE, 2));
        SimulatedStage modest = world.stage("b", 0, minutes(10), Need.of("s", SMALL, 2));
        world.job(greedy);
        world.job(modest);
        world.until("the one that can begin does", modest::working, minutes(10));
        assertThat(greedy.working()).isFalse();
        world.until("the other one gave up", () -> waitedInVain(greedy), minutes(70));
    }

    @Test
    void anUnknownMachineOfTheOwnerIsReleased() {
        World world = calm(HOURS);
        world.cloud.launch(
                LaunchRequest.onDemand("token-of-old", "m1.small", new LeaseTag("test", "old")));
        world.cloud.launch(
                LaunchRequest.onDemand("not-ours-1", "m1.small", new LeaseTag("other", "old")));
        world.pass(minutes(3));
        assertThat(world.cloud.leased()).as("that of the other owner").hasSize(1);
    }

    @Test
    void anUnknownMachineOfTheOwnerIsUsedIfAStageCan() {
        World world = calm(HOURS);
        world.cloud.launch(
                LaunchRequest.onDemand("token-of-old", "m1.small", new LeaseTag("test", "old")));
        SimulatedStage stage = world.stage("job", 0, minutes(10), Need.of("one", SMALL, 1));
        world.job(stage);
        world.until("it begins", stage::working, minutes(10));
        assertThat(world.cloud.leased()).hasSize(1);
    }

    @Test
    void aSpotMachineIsOnlyLeasedWhereNothingCanBeLost() {
        World world =
                new World(
                        HOURS.withSpotPrices(
                                Map.of(
                                        "m1.small",
                                        Traces.flat("0.03"),
                                        "c1.xlarge",
                                        Traces.flat("0.3"))),
                        FaultProfile.NONE,
                        LeasingLimits.DEFAULT,
                        1,
                        0,
                        World::dear);
        SimulatedStage stage =
                world.stage(
                        "job",
                        0,
                        minutes(30),
                        new Need("map", SMALL, 2, false, true),
                        Need.of("reduce", LARGE, 1));
        world.job(stage);
        world.until("all is done", world::done, minutes(60));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        assertThat(world.cloud.bill().total()).isEqualTo(Money.parse("0.86"));
    }

    @Test
    void aSpotMachineThatIsTakenIsReplaced() {
        World world =
                new World(
                        HOURS.withSpotPrices(Map.of("m1.small", Traces.steps("0.03", 20, "0.30"))),
                        FaultProfile.NONE,
                        LeasingLimits.DEFAULT,
                        1,
                        0,
                        World::dear);
        SimulatedStage stage =
                world.stage("job", 0, minutes(30), new Need("map", SMALL, 2, false, true));
        world.job(stage);
        world.until("all is done", world::done, minutes(120));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        assertThat(world.cloud.bill().lines()).hasSize(4);
        assertThat(world.cloud.bill().total())
                .as("the hours that the cloud cut are free")
                .isEqualTo(Money.parse("0.20"));
    }

    @Test
    void aReportComparesTheCostWithAFixedCluster() {
        World world = calm(HOURS);
        world.job(
                world.stage("job", 0, minutes(30), Need.of("sort", LARGE, 6)),
                world.stage("job", 1, minutes(90), Need.of("sum", SMALL, 1)));
        world.until("all is done", world::done, minutes(200));
        world.until("nothing is leased", world.leasing()::quiet, minutes(5));
        CostReport report =
                CostReport.of("job", world.log.lines(), world.cloud, world.clock.instant());
        assertThat(report.paid()).isEqualTo(world.cloud.bill().total());
        assertThat(report.paid()).isEqualTo(Money.parse("5.00"));
        // Six large machines and a small one for a little more than two hours.
        assertThat(report.fixedCluster()).isEqualTo(Money.parse("14.70"));
        assertThat(report.stages()).hasSize(2);
        assertThat(report.stages().getFirst().machines()).isEqualTo(Map.of("c1.xlarge", 6));
        assertThat(report.stages().getFirst().paid()).isEqualTo(Money.parse("4.80"));
        assertThat(report.text()).contains("$5.00", "$14.70", "stage 1: {c1.xlarge=6}");
        assertThat(Set.copyOf(world.taken)).isEmpty();
    }

    private static LeaseLine asked(World world, String token) {
        return new LeaseLine(
                world.clock.instant(),
                token,
                "m1.small",
                Purchase.ON_DEMAND,
                Optional.empty(),
                LeaseState.REQUESTED,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "before a crash");
    }

    @Test
    void aLeaseIsRecordedBeforeItsMachineIsRequested() {
        World world = calm(HOURS);
        Leasing dies =
                new Leasing(
                        new Leasing.Parts(
                                new KillSwitch(1, 1).cloud(world.cloud),
                                "test",
                                world.clock,
                                world.log,
                                world,
                                SpotChoice.NEVER,
                                () -> "token-00001"),
                        LeasingLimits.DEFAULT);
        SimulatedStage stage = world.stage("job", 0, minutes(10), Need.of("one", SMALL, 1));
        stage.want();
        assertThatThrownBy(() -> dies.step(List.of(stage))).isInstanceOf(Killed.class);
        assertThat(world.log.lines())
                .extracting(LeaseLine::state)
                .containsExactly(LeaseState.REQUESTED);
        world.restart();
        world.pass(minutes(2));
        assertThat(world.leasing().quiet()).as("it may still come").isFalse();
        world.until("it did not come", world.leasing()::quiet, minutes(20));
    }

    @Test
    void aMachineMissingInMostListingsIsFoundAndReleased() {
        for (int seed = 0; seed < 30; seed++) {
            World world =
                    new World(
                            HOURS,
                            new FaultProfile(0, 0, 0, 0, 0.99, 0, 0, Duration.ZERO),
                            LeasingLimits.DEFAULT,
                            seed,
                            0);
            world.log.add(asked(world, "token-lost"));
            world.cloud.launch(
                    LaunchRequest.onDemand("token-lost", "m1.small", new LeaseTag("test", "old")));
            world.restart();
            // So that the first listings, which are not evidence, cannot contain it.
            world.cloud.weather(new FaultProfile(0, 0, 0.99, 0, 0.99, 0, 0, Duration.ZERO));
            world.pass(minutes(3));
            world.cloud.weather(new FaultProfile(0, 0, 0, 0, 0.99, 0, 0, Duration.ZERO));
            world.until("nothing is leased", world.leasing()::quiet, minutes(30));
            world.pass(minutes(1));
            assertThat(world.cloud.leased()).as("seed " + seed).isEmpty();
        }
    }
}
