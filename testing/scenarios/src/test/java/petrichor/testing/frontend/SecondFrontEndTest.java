package petrichor.testing.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.ForwardingStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;

/**
 * Tests that every server of a cluster accepts requests of the second front end, and that the owner
 * executes them.
 */
final class SecondFrontEndTest {
    private static final int DATABASES = 24;

    private final MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews());
    private final EmbeddedLedger ledger = new EmbeddedLedger();
    private final List<DocumentServer> servers = new ArrayList<>();

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            servers.add(
                    new DocumentServer(
                            new ForwardingStore(store) {
                                @Override
                                public void close() {}
                            },
                            ledger));
        }
        for (DocumentServer server : servers) {
            Wait.until(
                    "each server knows all of them",
                    Duration.ofSeconds(60),
                    () -> server.node().metrics().members() == count);
        }
    }

    @AfterEach
    void stop() {
        servers.forEach(DocumentServer::close);
        store.close();
    }

    @Test
    void everyServerAnswersForEveryDatabase() throws Exception {
        start(3);
        for (int i = 0; i < DATABASES; i++) {
            String database = "db" + i;
            for (int n = 0; n < 3; n++) {
                assertPut(servers.get((i + n) % 3).put(database, "x", "text " + n));
                for (DocumentServer server : servers) {
                    assertText(server.get(database, "x"), "text " + n);
                }
            }
        }
        for (DocumentServer server : servers) {
            assertThat(server.node().metrics().owned()).as("databases owned").isPositive();
            assertThat(server.node().metrics().forwarded()).as("calls forwarded").isPositive();
        }
    }

    @Test
    void aDocumentThatIsTooLargeForTheStreamIsForwardedToo() throws Exception {
        start(2);
        String text = "x".repeat(500_000);
        for (int i = 0; i < DATABASES; i++) {
            assertPut(servers.get(i % 2).put("db" + i / 2, "large", text));
        }
        for (int i = 0; i < DATABASES; i++) {
            assertText(servers.get(i % 2).get("db" + i / 2, "large"), text);
        }
    }

    @Test
    void theOthersTakeOverTheDatabasesOfADeadServer() throws Exception {
        start(2);
        for (int i = 0; i < DATABASES; i++) {
            assertPut(servers.get(0).put("db" + i, "x", "before"));
        }
        assertThat(servers.get(1).node().metrics().owned()).isPositive();
        servers.get(1).die();
        for (int i = 0; i < DATABASES; i++) {
            int database = i;
            Wait.until(
                    "the database has an owner again",
                    Duration.ofSeconds(60),
                    () -> put("db" + database, "after") == 200);
            assertText(servers.get(0).get("db" + i, "x"), "after");
        }
    }

    private int put(String database, String text) {
        try {
            return servers.get(0).put(database, "x", text).statusCode();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    @Test
    void anInvalidRequestIsRefusedByOwnersAndOtherServers() throws Exception {
        start(2);
        List<String> answers = new ArrayList<>();
        for (DocumentServer server : servers) {
            HttpResponse<String> refused = server.put("db", "x".repeat(1_501), "text");
            assertThat(refused.statusCode()).isEqualTo(400);
            answers.add(refused.body());
        }
        assertThat(answers.get(0)).isEqualTo(answers.get(1)).contains("error");
    }

    private static void assertPut(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static void assertText(HttpResponse<String> response, String text) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("{\"text\":\"" + text + "\"}");
    }
}
