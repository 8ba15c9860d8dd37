package petrichor.cloud.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.Description;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Listing;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.Purchase;
import petrichor.cloud.TerminateResult;

final class LocalCloudTest {
    static List<Fence> fences() {
        return List.of(Fence.find(), new Fence.Rlimits());
    }

    private static Instance launch(LocalCloud cloud, String token) {
        LaunchResult result =
                cloud.launch(
                        LaunchRequest.onDemand(
                                token, "local.small", new LeaseTag("test", "a test")));
        assertThat(result).isInstanceOf(LaunchResult.Launched.class);
        return ((LaunchResult.Launched) result).instance();
    }

    private static InstanceState state(LocalCloud cloud, String id) {
        return ((Description.Known) cloud.describe(id)).instance().state();
    }

    @ParameterizedTest
    @MethodSource("fences")
    void aMachineEndsWithAllItsChildrenAlsoThoseThatWentAway(Fence fence) throws IOException {
        String script =
                "sleep 601 & setsid sh -c 'sleep 602 & sleep 603' & (setsid sleep 604 &) ; touch"
                        + " up; sleep 605";
        try (TestMachines machines = new TestMachines(fence, script)) {
            Instance one = launch(machines.cloud(), "token-00001");
            Instance other = launch(machines.cloud(), "token-00002");
            String mark = LocalCloud.MARK + "=" + one.id();
            machines.until("all run", () -> LinuxProcesses.marked(mark).size() >= 7);
            machines.until(
                    "it is gone",
                    () -> machines.cloud().terminate(one.id()) instanceof TerminateResult.Gone);
            assertThat(LinuxProcesses.marked(mark)).isEmpty();
            assertThat(state(machines.cloud(), other.id()).alive()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("fences")
    void aMachineThatTakesMoreThanItsMemoryDoesNotGetIt(Fence fence) throws IOException {
        String script =
                "if head -c 400000000 /dev/zero | tail > /dev/null; then touch got; else touch"
                        + " failed; fi; sleep 600";
        try (TestMachines machines = new TestMachines(fence, script)) {
            Path folder = machines.machine(launch(machines.cloud(), "token-00001").id());
            machines.until(
                    "it has tried",
                    () ->
                            Files.exists(folder.resolve("got"))
                                    || Files.exists(folder.resolve("failed")));
            assertThat(folder.resolve("got")).as(fence.how()).doesNotExist();
        }
    }

    @ParameterizedTest
    @MethodSource("fences")
    void aMachineEndsWithItsProgram(Fence fence) throws IOException {
        try (TestMachines machines = new TestMachines(fence, "exit 3")) {
            Instance one = launch(machines.cloud(), "token-00001");
            machines.until(
                    "it is over",
                    () -> state(machines.cloud(), one.id()) == InstanceState.TERMINATED);
        }
    }

    @Test
    void aMachineOfAKilledOwnerIsFoundAndEndedByTheNext() throws Exception {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600")) {
            Process owner =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    OwnerMain.class.getName(),
                                    machines.folder().toString(),
                                    "sleep 600")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (BufferedReader said = owner.inputReader()) {
                assertThat(said.readLine()).isEqualTo("launched");
            } finally {
                owner.destroyForcibly().waitFor();
            }
            LocalCloud cloud = machines.cloud();
            Listing.Row row = ((Listing.Rows) cloud.list("owner")).rows().getFirst();
            Instance found = ((Listing.Row.Seen) row).instance();
            assertThat(found.token()).isEqualTo("token-of-owner");
            machines.until("it runs", () -> state(cloud, found.id()) == InstanceState.RUNNING);
            machines.until(
                    "it is gone",
                    () -> cloud.terminate(found.id()) instanceof TerminateResult.Gone);
            assertThat(LinuxProcesses.marked(LocalCloud.MARK + "=" + found.id())).isEmpty();
        }
    }

    @Test
    void anotherProcessWithTheSameNumberIsNotTheMachine() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "exit 0")) {
            Instance one = launch(machines.cloud(), "token-00001");
            machines.until(
                    "it is over",
                    () -> state(machines.cloud(), one.id()) == InstanceState.TERMINATED);
            long own = ProcessHandle.current().pid();
            long ticks = LinuxProcesses.startTicks(own);
            Path pid = machines.machine(one.id()).resolve("pid");
            Files.writeString(pid, own + " " + ticks);
            assertThat(state(machines.cloud(), one.id())).isEqualTo(InstanceState.RUNNING);
            Files.writeString(pid, own + " " + (ticks - 1));
            assertThat(state(machines.cloud(), one.id())).isEqualTo(InstanceState.TERMINATED);
        }
    }

    @Test
    void aRequestedMachineIsStartedByARepeatedToken() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600")) {
            Instance first = launch(machines.cloud(), "token-00001");
            machines.until(
                    "it is gone",
                    () -> machines.cloud().terminate(first.id()) instanceof TerminateResult.Gone);
            // State after a kill of the owner that had only created the folder.
            Path folder = machines.machine(first.id());
            for (String file : List.of("started", "stopped", "pid")) {
                Files.deleteIfExists(folder.resolve(file));
            }
            assertThat(launch(machines.cloud(), "token-00001").id()).isEqualTo(first.id());
            machines.until(
                    "it runs", () -> state(machines.cloud(), first.id()) == InstanceState.RUNNING);
        }
    }

    @Test
    void anInvalidRequestDoesNotHideTheOthers() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600")) {
            Instance one = launch(machines.cloud(), "token-00001");
            Instance other = launch(machines.cloud(), "token-00002");
            Files.writeString(machines.machine(one.id()).resolve("address"), "host:1");
            machines.until(
                    "it runs", () -> state(machines.cloud(), one.id()) == InstanceState.RUNNING);
            assertThat(
                            ((Description.Known) machines.cloud().describe(one.id()))
                                    .instance()
                                    .address())
                    .isEqualTo(Optional.of("host:1"));
            Path request = machines.machine(other.id()).resolve("request");
            List<String> lines = Files.readAllLines(request);
            Files.write(request, List.of("nonsense"));
            assertThat(((Listing.Rows) machines.cloud().list("test")).rows()).hasSize(1);
            Files.write(request, lines);
        }
    }

    @Test
    void thereAreNoMoreMachinesThanAreAllowed() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600")) {
            for (int i = 0; i < 4; i++) {
                launch(machines.cloud(), "token-0000" + i);
            }
            assertThat(
                            machines.cloud()
                                    .launch(
                                            LaunchRequest.onDemand(
                                                    "token-00009",
                                                    "local.small",
                                                    new LeaseTag("test", "a test"))))
                    .isInstanceOf(LaunchResult.NoCapacity.class);
            assertThat(launch(machines.cloud(), "token-00001").state().alive())
                    .as("one that is there")
                    .isTrue();
        }
    }

    @Test
    void aMachineIsTakenWithNoticeWhenItsPriceRisesAboveItsBid() throws IOException {
        Duration notice = Duration.ofMinutes(2);
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600");
                LocalCloud cheap = machines.with(market(notice, "0.003"));
                LocalCloud dear = machines.with(market(notice, "0.003", "0.02"));
                LocalCloud dearest = machines.with(market(notice, "0.003", "0.02", "0.021"))) {
            Instance bidden = launched(cheap, "token-00001", "0.02");
            Instance other = launched(cheap, "token-00002", "0.03");
            Instance onDemand = launch(cheap, "token-00003");
            assertThat(cheap.interruptions()).isEmpty();
            assertThat(dear.interruptions()).as("who bids the price keeps it").isEmpty();
            Instant before = Instant.now();
            InterruptionNotice told = dearest.interruptions().getFirst();
            assertThat(dearest.interruptions()).containsExactly(told);
            assertThat(told.instance()).isEqualTo(bidden.id());
            assertThat(told.endsAt()).isBetween(before.plus(notice), Instant.now().plus(notice));
            assertThat(told.reason()).contains("price rose above the bid");
            assertThat(cheap.interruptions()).as("it is said once and for all").hasSize(1);
            for (Instance each : List.of(bidden, other, onDemand)) {
                assertThat(state(dearest, each.id()).alive()).isTrue();
            }
        }
    }

    @Test
    void aMachineEndsWhenItsNoticeIsOver() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600");
                LocalCloud cheap = machines.with(market(Duration.ZERO, "0.003"));
                LocalCloud dear = machines.with(market(Duration.ZERO, "0.003", "0.05"))) {
            Instance one = launched(cheap, "token-00001", "0.02");
            dear.interruptions();
            machines.until("it is gone", () -> state(dear, one.id()) == InstanceState.TERMINATED);
            assertThat(LinuxProcesses.marked(LocalCloud.MARK + "=" + one.id())).isEmpty();
        }
    }

    @Test
    void aBidBelowThePriceIsRefused() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600");
                LocalCloud dear = machines.with(market(Duration.ZERO, "0.003", "0.05"))) {
            assertThat(dear.launch(spot("token-00001", "0.049")))
                    .isEqualTo(new LaunchResult.NoCapacity("spot machines cost $0.05 now"));
            assertThat(machines.cloud().launch(spot("token-00001", "0.05")))
                    .as("without a market")
                    .isInstanceOf(LaunchResult.NoCapacity.class);
            assertThat(launched(dear, "token-00001", "0.05").purchase()).isEqualTo(Purchase.SPOT);
        }
    }

    @Test
    void thePriceOfAMomentIsThatOfTheMarket() throws IOException {
        try (TestMachines machines = new TestMachines(Fence.find(), "sleep 600");
                LocalCloud dear = machines.with(market(Duration.ZERO, "0.003", "0.05"))) {
            Instant now = Instant.now();
            assertThat(dear.spotPrices("local.small", now, now.plusSeconds(1)))
                    .extracting(PricePoint::pricePerHour)
                    .containsExactly(Money.parse("0.05"));
            Instant yesterday = now.minus(Duration.ofDays(1));
            assertThat(dear.spotPrices("local.small", yesterday, yesterday.plusSeconds(1)))
                    .extracting(PricePoint::pricePerHour)
                    .containsExactly(Money.parse("0.003"));
            assertThat(dear.spotPrices("local.large", yesterday, now)).isEmpty();
        }
    }

    /** A market with one price for a long time, and further prices since a moment ago. */
    private static SpotPrices market(Duration notice, String... dollars) {
        Instant now = Instant.now();
        List<PricePoint> prices = new ArrayList<>();
        prices.add(new PricePoint(now.minus(Duration.ofDays(40)), Money.parse(dollars[0])));
        for (int i = 1; i < dollars.length; i++) {
            prices.add(
                    new PricePoint(now.minusMillis(dollars.length - i), Money.parse(dollars[i])));
        }
        return new SpotPrices(Map.of("local.small", new PriceTrace(prices, now)), notice);
    }

    private static LaunchRequest spot(String token, String bid) {
        return new LaunchRequest(
                token,
                "local.small",
                Purchase.SPOT,
                Optional.of(Money.parse(bid)),
                new LeaseTag("test", "a test"));
    }

    private static Instance launched(LocalCloud cloud, String token, String bid) {
        LaunchResult result = cloud.launch(spot(token, bid));
        assertThat(result).isInstanceOf(LaunchResult.Launched.class);
        return ((LaunchResult.Launched) result).instance();
    }
}
