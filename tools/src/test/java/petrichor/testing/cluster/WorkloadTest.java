package petrichor.testing.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.client.DatastoreClient;
import petrichor.testing.cluster.DefectiveServer.Defect;
import petrichor.testing.process.Pause;

/**
 * Tests that the workloads accept a correct server, and detect the violations of defective ones.
 */
final class WorkloadTest {
    private static final int CLIENTS = 4;
    private static final int COMMITS_GOOD = 400;
    private static final int COMPARED = 600;
    private static final Duration NOTICED_WITHIN = Duration.ofSeconds(60);

    private final long seed = Long.getLong("seed", new Random().nextInt(1_000_000));

    @ParameterizedTest
    @ValueSource(strings = {"lists", "bank", "skew", "phantoms", "values", "sizes"})
    void aCorrectServerCausesNoFindings(String name) {
        Findings findings = new Findings();
        run(name, Defect.NONE, findings, commits -> commits > COMMITS_GOOD);
        assertThat(findings.list()).as("-Dseed=%d", seed).isEmpty();
    }

    /** A commit of unknown outcome may take effect, or not. */
    @ParameterizedTest
    @ValueSource(strings = "sizes")
    void lostAnswersCauseNoFindings(String name) {
        Findings findings = new Findings();
        run(name, Defect.ANSWERS_LOST, findings, commits -> commits > COMMITS_GOOD);
        assertThat(findings.list()).as("-Dseed=%d", seed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "lists, READS_FORGOTTEN",
        "lists, COMMITS_LOST",
        "bank, READS_FORGOTTEN",
        "bank, COMMITS_HALVED",
        "skew, READS_FORGOTTEN",
        "phantoms, READS_FORGOTTEN",
        "values, SNAPSHOTS_MIXED",
        "sizes, COMMITS_LOST"
    })
    void aViolatedGuaranteeIsDetected(String name, Defect defect) {
        Findings findings = new Findings();
        long started = System.nanoTime();
        run(
                name,
                defect,
                findings,
                _ ->
                        findings.count() > 0
                                || System.nanoTime() - started > NOTICED_WITHIN.toNanos());
        assertThat(findings.list()).as("-Dseed=%d", seed).isNotEmpty();
    }

    /** One of many entities is enough: each kind of difference is detected in the first judging. */
    @ParameterizedTest
    @EnumSource(
            value = Defect.class,
            names = {
                "ENTITY_LOST",
                "KEY_LOST",
                "ENTITY_MISPLACED",
                "ENTITY_DAMAGED",
                "ENTITY_ADDED"
            })
    void everyEntityIsComparedAfterAFault(Defect defect) {
        Findings findings = new Findings();
        MixedSizes workload = new MixedSizes(findings);
        SplittableRandom chance = new SplittableRandom(seed);
        try (DefectiveServer server = new DefectiveServer(defect);
                DatastoreClient connection = DatastoreClient.open("127.0.0.1", server.port());
                ScheduledExecutorService alarm = Executors.newScheduledThreadPool(1)) {
            LabClient client = client(connection, workload.name(), alarm, chance);
            List<String> names = List.of();
            while (names.size() < COMPARED) {
                workload.step(client, chance);
                names = List.copyOf(client.names("Sized"));
            }
            workload.judgeRecovered(client);
            assertThat(findings.list()).as("-Dseed=%d", seed).isEmpty();
            int one = chance.nextInt(names.size());
            int other = (one + 1) % names.size();
            server.damage(
                    client.key("Sized", names.get(one)), client.key("Sized", names.get(other)));
            workload.judgeRecovered(client);
            assertThat(findings.list()).as("-Dseed=%d", seed).isNotEmpty();
        }
    }

    /**
     * @param enough whether to stop after this number of acknowledged commits
     */
    private void run(String name, Defect defect, Findings findings, IntPredicate enough) {
        SplittableRandom chance = new SplittableRandom(seed);
        Workload workload =
                Stream.of(LabOptions.Sizes.values())
                        .flatMap(sizes -> Workload.of(sizes, findings).stream())
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger commits = new AtomicInteger();
        try (DefectiveServer server = new DefectiveServer(defect);
                DatastoreClient connection = DatastoreClient.open("127.0.0.1", server.port());
                ScheduledExecutorService alarm = Executors.newScheduledThreadPool(1)) {
            LabClient judge = client(connection, name, alarm, chance);
            workload.prepare(judge);
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < CLIENTS; number++) {
                LabClient client = client(connection, name, alarm, chance);
                SplittableRandom own = chance.split();
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            while (!over.get()) {
                                                if (workload.step(client, own)) {
                                                    commits.incrementAndGet();
                                                }
                                                if (enough.test(commits.get())) {
                                                    over.set(true);
                                                }
                                            }
                                        }));
            }
            workload.judgeRecovered(judge);
            while (!over.get()) {
                workload.judge(judge, false);
                Pause.briefly();
            }
            for (Thread thread : threads) {
                join(thread);
            }
            workload.judge(judge, true);
        }
    }

    private static LabClient client(
            DatastoreClient connection,
            String database,
            ScheduledExecutorService alarm,
            SplittableRandom chance) {
        return new LabClient(List.of(connection), database, alarm, chance.split(), _ -> {});
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
