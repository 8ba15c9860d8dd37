package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.Purchase;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseState;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.SpotPrices;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;

/** Jobs on spot machines whose price rises. */
@Timeout(300)
class SpotJobsTest {
    private static final String CHEAP = "0.02";
    private static final Duration NOTICE = Duration.ofSeconds(1);
    private static final int PAUSE_MS = 6;
    private static final int TAKEN_MAX = 3;

    /** A fifth, up to rounding. */
    private static final double DISCOUNT = 5;

    @TempDir Path folder;

    private final List<String> told = new CopyOnWriteArrayList<>();

    @Test
    void aJobWhoseSpotPriceRisesContinuesElsewhereAtTheMarketPrice() throws Exception {
        LeasedMachines machines = run(1);
        assertThat(told).filteredOn(line -> line.contains("price rose above the bid")).isNotEmpty();
        assertThat(purchases(machines)).containsOnly(Purchase.SPOT).hasSizeGreaterThan(2);
        double onDemand = onDemand(machines).dollars();
        double paid = machines.cost().paid().dollars();
        assertThat(onDemand / paid).as("%s", machines.cost()).isBetween(DISCOUNT - 0.1, 5.1);
    }

    /** Without the limit the market would reclaim every machine that the job leases. */
    @Test
    void aJobThatLostThreeMachinesBidsNoMore() throws Exception {
        LeasedMachines machines = run(TAKEN_MAX + 1);
        assertThat(purchases(machines)).as("%s", told).contains(Purchase.SPOT, Purchase.ON_DEMAND);
        assertThat(machines.cost().paid().micros()).isLessThan(onDemand(machines).micros());
    }

    /**
     * @param rises number of price rises, each while a stage works
     */
    private LeasedMachines run(int rises) throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting setting = KilledMachinesTest.setting(folder.resolve("cloud"));
        LeasedMachines machines =
                LeasedMachines.open(setting.withSpot(market(false)), "on-spot", told::add);
        Path spill = Files.createDirectories(folder.resolve("spill"));
        Works works = new Works();
        Thread market;
        try (machines) {
            market = Thread.ofPlatform().daemon().start(() -> rise(setting, works, rises));
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(spill))
                    .with(machines)
                    .start(job.plan(2, PAUSE_MS), works)
                    .await();
        } finally {
            works.over();
        }
        market.join();
        assertThat(Files.readAllLines(job.result())).containsExactlyElementsOf(job.expected());
        assertThat(MachinesHere.in(folder)).isEmpty();
        return machines;
    }

    /** A second observer of the same machines sees the raised price. */
    private static void rise(LeaseSetting setting, Works works, int rises) {
        LeaseSetting risen = setting.withSpot(market(true));
        for (int i = 0; i < rises && works.await(); i++) {
            try (LocalCloud cloud = LocalMachines.open(risen)) {
                cloud.interruptions();
            }
        }
    }

    private static SpotPrices market(boolean risen) {
        Instant now = Instant.now();
        PricePoint cheap = new PricePoint(now.minus(Duration.ofDays(40)), Money.parse(CHEAP));
        PricePoint dear = new PricePoint(now.minusMillis(1), Money.parse("0.50"));
        List<PricePoint> prices = risen ? List.of(cheap, dear) : List.of(cheap);
        return new SpotPrices(Map.of("small", new PriceTrace(prices, now)), NOTICE);
    }

    /** How each of its machines was bought. */
    private static List<Purchase> purchases(LeasedMachines machines) {
        return machines.leases().stream()
                .filter(line -> line.state() == LeaseState.REQUESTED)
                .map(LeaseLine::purchase)
                .toList();
    }

    /** The cost of the same leases on demand. */
    private Money onDemand(LeasedMachines machines) {
        LeaseSetting setting = KilledMachinesTest.setting(folder.resolve("cloud"));
        try (LocalCloud cloud = LocalMachines.open(setting)) {
            return CostReport.of("on-spot", machines.leases(), cloud, Instant.now()).paid();
        }
    }

    /** Signals whenever a stage starts to work, for the first time or again. */
    private static final class Works implements RunWatcher {
        private final LinkedBlockingQueue<Optional<TaskState>> started =
                new LinkedBlockingQueue<>();
        private int running;

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public synchronized void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.StageRestarted) {
                running = 0;
            } else if (delta instanceof ExecutionDelta.SubtaskMoved moved
                    && moved.to() == TaskState.RUNNING
                    && running++ == 0) {
                started.add(Optional.of(TaskState.RUNNING));
            }
        }

        void over() {
            started.add(Optional.empty());
        }

        /** False if no stage will start any more. */
        boolean await() {
            try {
                return started.take().isPresent();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
