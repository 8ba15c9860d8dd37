package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.coordination.testkit.Wait;
import petrichor.testing.process.PetrichorServer;

/**
 * Tests several servers over one real store that do not know of each other: no server may serve a
 * read that misses a commit acknowledged by another one before the read began.
 */
@Tag("slow")
class StaleReadsTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final long NUMBERS = 100;
    private static final int DATABASES = 24;

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql"})
    void aServerOutsideOfTheClusterIsRefused(String store) throws Exception {
        try (ClusterUnderTest cluster = ClusterUnderTest.start(store, 1, folder)) {
            PetrichorServer member = cluster.servers().getFirst();
            try (NumberClient client = NumberClient.of(member)) {
                client.put("p", "x", 2);
            }
            Path log = folder.resolve("outsider.log");
            for (Map<String, String> outsider :
                    List.of(cluster.standalone(), cluster.otherCoordination())) {
                assertThatThrownBy(
                                () -> {
                                    try (PetrichorServer admitted =
                                            PetrichorServer.start(List.of(), outsider, log)) {
                                        requireFresh(member, admitted);
                                    }
                                })
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("the store belongs to the cluster of zookeeper://")
                        .hasMessageContaining("petrichor store adopt");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql"})
    void aServerThatWasPausedServesNothingAfterAnotherOneTookTheStore(String store)
            throws Exception {
        try (ClusterUnderTest nobody = ClusterUnderTest.start(store, 0, folder)) {
            Map<String, String> alone = new HashMap<>(nobody.standalone());
            Path log = folder.resolve("alone.log");
            try (PetrichorServer first = PetrichorServer.start(List.of(), alone, log);
                    NumberClient client = NumberClient.of(first)) {
                client.put("p", "x", 1);
                assertThat(client.get("p", "x")).hasValue(1);
                assertThatThrownBy(() -> PetrichorServer.start(List.of(), alone, log))
                        .hasMessageContaining("the store is in use by another server");
                client.put("p", "x", 2);
                first.pause();
                try (PetrichorServer second = PetrichorServer.start(List.of(), alone, log)) {
                    // From now on the second server commits without the knowledge of the first.
                    first.resume();
                    requireFresh(second, first);
                    assertThat(first.get("/readyz").body())
                            .contains("another server has taken over the store");
                } finally {
                    first.resume();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql"})
    void readinessReportsAnUnresponsiveStore(String store) throws Exception {
        try (ClusterUnderTest nobody = ClusterUnderTest.start(store, 0, folder);
                PetrichorServer server =
                        PetrichorServer.start(
                                List.of(), nobody.standalone(), folder.resolve("alone.log"))) {
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            nobody.pauseStore();
            try {
                Wait.until(
                        "not ready",
                        LONG,
                        () -> ready(server).contains("[-]store the store home ("));
                assertThat(server.get("/metrics").body())
                        .contains(
                                "petrichor_store_up{scheme=\""
                                        + store
                                        + "\",store=\"home\"} 0.0\n");
            } finally {
                nobody.resumeStore();
            }
            Wait.until("ready again", LONG, () -> ready(server).equals("ok\n"));
        }
    }

    private static String ready(PetrichorServer server) {
        try {
            return server.get("/readyz").body();
        } catch (java.io.IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis"})
    void databasesMoveToAServerThatComesBackAndNoRequestFails(String store) throws Exception {
        try (ClusterUnderTest cluster = ClusterUnderTest.start(store, 3, folder);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            PetrichorServer killed = cluster.servers().getLast();
            try (NumberClient client = NumberClient.of(cluster.servers().getFirst())) {
                for (int i = 0; i < DATABASES; i++) {
                    client.put("p" + i, "x", 0);
                }
                cluster.kill(killed);
                for (int i = 0; i < DATABASES; i++) {
                    String project = "p" + i;
                    Wait.until("an owner", LONG, () -> tried(() -> client.put(project, "x", 0)));
                }
            }
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong requests = new AtomicLong();
            List<Future<?>> clients =
                    cluster.servers().stream()
                            .<Future<?>>map(at -> threads.submit(() -> use(at, requests, over)))
                            .toList();
            PetrichorServer back = cluster.add();
            Wait.until(
                    "it owns databases",
                    LONG,
                    () -> clients.stream().anyMatch(Future::isDone) || cluster.owned(back) > 0);
            over.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
            System.out.println(
                    store
                            + ": "
                            + requests
                            + " requests, none failed; the server that came back owns "
                            + cluster.owned(back)
                            + " of "
                            + DATABASES
                            + " databases");
            assertThat(cluster.owned(back)).isPositive();
        }
    }

    /** Ends at the first failed request, with its failure. */
    private static void use(PetrichorServer at, AtomicLong requests, AtomicBoolean over) {
        String name = "at" + at.port();
        try (NumberClient client = NumberClient.of(at)) {
            for (int n = 1; !over.get(); n++) {
                for (int i = 0; i < DATABASES; i++) {
                    client.put("p" + i, name, n);
                    assertThat(client.get("p" + i, name)).hasValue(n);
                    requests.addAndGet(2);
                }
            }
        }
    }

    /**
     * Writes growing numbers at one server and reads them at the other: a read never returns less
     * than the acknowledged number.
     */
    private static void requireFresh(PetrichorServer written, PetrichorServer read)
            throws Exception {
        AtomicLong acknowledged = new AtomicLong(2);
        try (NumberClient opener = NumberClient.of(read)) {
            OptionalLong _ = tryGet(opener);
        }
        AtomicBoolean over = new AtomicBoolean();
        try (NumberClient writer = NumberClient.of(written);
                NumberClient reader = NumberClient.of(read);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> writing =
                    threads.submit(
                            () -> {
                                for (long n = 3; n < NUMBERS; n++) {
                                    long number = n;
                                    Wait.until(
                                            "an acknowledged write",
                                            LONG,
                                            () -> tried(() -> writer.put("p", "x", number)));
                                    acknowledged.set(number);
                                }
                                over.set(true);
                            });
            while (!over.get() && !writing.isDone()) {
                long least = acknowledged.get();
                tryGet(reader)
                        .ifPresent(
                                seen ->
                                        assertThat(seen)
                                                .as("read after %d was acknowledged", least)
                                                .isGreaterThanOrEqualTo(least));
            }
            writing.get();
        }
    }

    private static boolean tried(Runnable call) {
        try {
            call.run();
            return true;
        } catch (StatusRuntimeException failed) {
            assertThat(failed.getStatus().getCode())
                    .isIn(
                            Status.Code.UNAVAILABLE,
                            Status.Code.DEADLINE_EXCEEDED,
                            Status.Code.ABORTED);
            return false;
        }
    }

    private static OptionalLong tryGet(NumberClient client) {
        try {
            return client.get("p", "x");
        } catch (StatusRuntimeException failed) {
            assertThat(failed.getStatus().getCode())
                    .isIn(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED);
            return OptionalLong.empty();
        }
    }
}
