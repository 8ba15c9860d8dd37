package petrichor.cloud.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Billing;
import petrichor.cloud.Instance;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Listing;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.Purchase;
import petrichor.cloud.TerminateResult;

final class SimulatedCloudTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final LeaseTag TAG = new LeaseTag("test", "test");

    private final VirtualClock clock = new VirtualClock(BEGIN);

    private SimulatedCloud cloud(Billing billing, FaultProfile weather) {
        return new SimulatedCloud(
                CloudSetting.of(billing, CloudSetting.M1_SMALL), clock, weather, 7);
    }

    private static Instance launch(SimulatedCloud cloud, LaunchRequest request) {
        return ((LaunchResult.Launched) cloud.launch(request)).instance();
    }

    private static LaunchRequest request(int number) {
        return LaunchRequest.onDemand("token-%05d".formatted(number), "m1.small", TAG);
    }

    @Test
    void everyHourThatHasStartedIsBilled() {
        SimulatedCloud cloud = cloud(Billing.WHOLE_HOURS, FaultProfile.NONE);
        Instance machine = launch(cloud, request(1));
        assertThat(cloud.bill().total()).as("while it boots").isEqualTo(Money.ZERO);
        clock.advance(Duration.ofMinutes(65));
        cloud.use(machine.id());
        clock.advance(Duration.ofMinutes(5));
        cloud.idle(machine.id());
        cloud.terminate(machine.id());
        clock.advance(Duration.ofDays(1));
        Bill bill = cloud.bill();
        assertThat(bill.total()).isEqualTo(Money.parse("0.20"));
        assertThat(bill.unused()).as("the first hour was unused").hasSize(1);
        assertThat(bill.lines().getFirst().used()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void secondsAreBilledWhereTheyAre() {
        SimulatedCloud cloud = cloud(Billing.PER_SECOND, FaultProfile.NONE);
        Instance machine = launch(cloud, request(1));
        clock.advance(Duration.ofMinutes(30));
        cloud.terminate(machine.id());
        clock.advance(Duration.ofDays(1));
        assertThat(cloud.bill().total()).isBetween(Money.parse("0.045"), Money.parse("0.05"));
    }

    @Test
    void theSameSeedGivesTheSameAnswersAndTheSameBill() {
        assertThat(stormy()).isEqualTo(stormy());
    }

    private static List<String> stormy() {
        VirtualClock clock = new VirtualClock(BEGIN);
        SimulatedCloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(Billing.WHOLE_HOURS, CloudSetting.M1_SMALL),
                        clock,
                        FaultProfile.HEAVY,
                        42);
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(cloud.launch(request(i / 3)).toString());
            answers.add(cloud.list("test").toString());
            answers.add(cloud.terminate("i-%06d".formatted(1 + i / 5)).toString());
        }
        answers.addAll(cloud.bill().csv());
        return answers;
    }

    @Test
    void aTokenLaunchesOneMachineUnderAnyFaults() {
        SimulatedCloud cloud = cloud(Billing.WHOLE_HOURS, FaultProfile.HEAVY);
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            if (cloud.launch(request(1)) instanceof LaunchResult.Launched launched) {
                ids.add(launched.instance().id());
            }
        }
        assertThat(ids).hasSize(1);
    }

    @Test
    void aLaunchOfUnknownOutcomeSettlesInTime() {
        int late = 0;
        for (int seed = 0; seed < 200; seed++) {
            VirtualClock own = new VirtualClock(BEGIN);
            SimulatedCloud cloud =
                    new SimulatedCloud(
                            CloudSetting.of(Billing.WHOLE_HOURS, CloudSetting.M1_SMALL),
                            own,
                            new FaultProfile(0, 0.9, 0, 0, 0, 0, 0, Duration.ZERO),
                            seed);
            if (cloud.launch(request(1)) instanceof LaunchResult.Unknown) {
                int before = listed(cloud);
                own.advance(cloud.limits().launchSettles());
                int settled = listed(cloud);
                own.advance(Duration.ofDays(1));
                assertThat(listed(cloud)).as("seed " + seed).isEqualTo(settled);
                late += settled - before;
            }
        }
        assertThat(late).as("delayed launches").isPositive();
    }

    private static int listed(SimulatedCloud cloud) {
        return ((Listing.Rows) cloud.list("test")).rows().size();
    }

    @Test
    void aSpotMachineIsTakenTwoMinutesAfterItsPriceWentOverTheBid() {
        PriceTrace prices =
                new PriceTrace(
                        List.of(
                                new PricePoint(BEGIN, Money.parse("0.03")),
                                new PricePoint(
                                        BEGIN.plus(Duration.ofMinutes(90)), Money.parse("0.20"))),
                        BEGIN.plus(Duration.ofDays(1)));
        SimulatedCloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(Billing.WHOLE_HOURS, CloudSetting.M1_SMALL)
                                .withSpotPrices(Map.of("m1.small", prices)),
                        clock,
                        FaultProfile.NONE,
                        1);
        Instance machine =
                launch(
                        cloud,
                        new LaunchRequest(
                                "token-00001",
                                "m1.small",
                                Purchase.SPOT,
                                Optional.of(Money.parse("0.05")),
                                TAG));
        clock.advance(Duration.ofMinutes(89));
        assertThat(cloud.interruptions()).isEmpty();
        clock.advance(Duration.ofMinutes(2));
        assertThat(cloud.interruptions()).hasSize(1);
        assertThat(cloud.answers(machine.id())).isTrue();
        clock.advance(Duration.ofMinutes(2));
        assertThat(cloud.answers(machine.id())).isFalse();
        assertThat(cloud.terminate(machine.id())).isInstanceOf(TerminateResult.Gone.class);
        assertThat(cloud.bill().total())
                .as("not the hour that was cut")
                .isEqualTo(Money.parse("0.03"));
    }

    @Test
    void unavailableMachinesAreNotLeased() {
        SimulatedCloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(Billing.WHOLE_HOURS, CloudSetting.M1_SMALL)
                                .withCapacity(Map.of("m1.small", 1)),
                        clock,
                        FaultProfile.NONE,
                        1);
        launch(cloud, request(1));
        assertThat(cloud.launch(request(2)))
                .isInstanceOfSatisfying(
                        LaunchResult.NoCapacity.class,
                        none -> assertThat(none.reason()).contains("m1.small"));
        assertThat(cloud.leased()).containsExactly("i-000001");
    }
}
