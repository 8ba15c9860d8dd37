package petrichor.testing.crash.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.testing.process.PetrichorServer;

/**
 * Runs every attack in turn, repeatedly, against a server with 256 MiB of heap, together with
 * well-behaved clients. {@code -Dhostile.seconds} sets the duration (600).
 */
@Tag("slow")
class HostileClientsTest {
    /**
     * File handles of the server, of which the class path of the tests takes 600; attackers have
     * more.
     */
    static final int HANDLES = 2_048;

    private static final String TOKEN = "only-friends-know";
    private static final Duration HEALTH_WITHIN = Duration.ofSeconds(1);
    private static final int CLIENTS = 4;
    private static final int ATTACKERS = 2;
    private static final int TURN_SECONDS = 10;

    private static final List<Attack> ATTACKS =
            List.of(
                    new LongNumbers(),
                    new EmptyMutations(),
                    new IdleConnections(),
                    new StrangersBodies(),
                    new OtherSitesPages(),
                    new ReadSets(),
                    new ManyIndexes(),
                    new EmptyFrames(),
                    new UnreadAnswers());

    /** The clients have two calls and a pause in a round, which takes well under a second. */
    private static final int ROUNDS_PER_SECOND_MIN = 1;

    private final long seconds = Long.getLong("hostile.seconds", 600);

    @TempDir Path temporary;

    @Test
    void wellBehavedClientsAreNotAffected() throws Exception {
        survive(ATTACKS, Map.of(), seconds);
    }

    /** With locks, puts of one project wait for transactions that never end. */
    @Test
    void putsThatWaitForLocksAffectOnlyTheirProject() throws Exception {
        survive(
                List.of(new LockedPuts()),
                Map.of("PETRICHOR_TRANSACTIONS__CONCURRENCY", "pessimistic"),
                seconds / ATTACKS.size());
    }

    private void survive(List<Attack> attacks, Map<String, String> settings, long duration)
            throws Exception {
        Path log = temporary.resolve("log");
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("PETRICHOR_AUTH__TOKEN", TOKEN);
        environment.put("JDK_JAVA_OPTIONS", "-Xmx256m");
        List<String> flags = List.of("--data", temporary.resolve("data").toString());
        List<WellBehavedClient> clients = new ArrayList<>();
        try (PetrichorServer server =
                PetrichorServer.startWithHandles(HANDLES, flags, environment, log)) {
            Target target = new Target(server.port(), TOKEN);
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new WellBehavedClient(target, i));
            }
            Attackers attackers = new Attackers(target);
            List<String> unhealthy = attack(attacks, attackers, target, duration);
            clients.forEach(WellBehavedClient::close);
            report(clients, unhealthy);
            assertThat(server.process().process().isAlive()).as(Files.readString(log)).isTrue();
            assertThat(attackers.failures()).as("attacks that failed or succeeded").isEmpty();
            assertThat(attackers.attacked())
                    .as("attacks that were carried out")
                    .containsAll(attacks.stream().map(Attack::name).toList());
            for (WellBehavedClient client : clients) {
                assertThat(client.refusals()).as("refused requests").isEmpty();
                assertThat(client.nanos())
                        .as("answered calls")
                        .hasSizeGreaterThan((int) (duration * ROUNDS_PER_SECOND_MIN));
            }
            assertThat(p99Millis(clients)).isLessThan(1_000);
            assertThat(unhealthy).as("/livez twice not within " + HEALTH_WITHIN).isEmpty();
        }
    }

    private static List<String> attack(
            List<Attack> attacks, Attackers attackers, Target target, long duration)
            throws InterruptedException {
        List<String> unhealthy = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(duration);
        for (int turn = 0; System.nanoTime() < end; turn++) {
            Attack attack = attacks.get(turn % attacks.size());
            long turnEnd =
                    Math.min(end, System.nanoTime() + TimeUnit.SECONDS.toNanos(TURN_SECONDS));
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < ATTACKERS; i++) {
                threads.add(attackers.start(attack, turnEnd));
            }
            boolean wasLive = true;
            while (System.nanoTime() < turnEnd) {
                Thread.sleep(500);
                // Connections over the limit are closed, including this one.
                boolean live = attack instanceof IdleConnections || isLive(target);
                // Orchestrators restart a server after several late answers; a single one may be
                // due to other programs on the machine.
                if (!live && !wasLive) {
                    unhealthy.add(attack.name());
                }
                wasLive = live;
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        return unhealthy;
    }

    private static boolean isLive(Target target) throws InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                                    target.page("/livez").timeout(HEALTH_WITHIN).build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException none) {
            return false;
        }
    }

    private static long p99Millis(List<WellBehavedClient> clients) {
        List<Long> all =
                clients.stream().flatMap(client -> client.nanos().stream()).sorted().toList();
        return TimeUnit.NANOSECONDS.toMillis(all.get((int) (all.size() * 0.99)));
    }

    private static void report(List<WellBehavedClient> clients, List<String> unhealthy) {
        List<Long> all =
                clients.stream().flatMap(client -> client.nanos().stream()).sorted().toList();
        System.out.printf(
                "%d calls of well-behaved clients: p50 %.1f ms, p99 %.1f ms, max %.1f ms; %d"
                        + " refused; /livez late twice %s%n",
                all.size(),
                all.get(all.size() / 2) / 1e6,
                all.get((int) (all.size() * 0.99)) / 1e6,
                all.getLast() / 1e6,
                clients.stream().mapToInt(client -> client.refusals().size()).sum(),
                unhealthy);
    }
}
