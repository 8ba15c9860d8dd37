package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreException;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Query;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Tests two servers over one datastore; runs only with {@code clients/run --store NAME}. */
@EnabledIfEnvironmentVariable(named = "PETRICHOR_SECOND_SERVER", matches = ".+")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SeveralServersTest {
    private static final Duration AGAIN_MAX = Duration.ofMinutes(2);
    private static final Pattern NAME = Pattern.compile("\"name\": ?\"([^\"]+)\"");

    private final String first = System.getenv("DATASTORE_EMULATOR_HOST");
    private final String second = System.getenv("PETRICHOR_SECOND_SERVER");
    private final String namespace = "n" + UUID.randomUUID().toString().replace("-", "");

    private Datastore at(String host, String project) {
        return Fixture.options("", namespace).setHost(host).setProjectId(project).build().getService();
    }

    private static Key key(Datastore store) {
        return store.newKeyFactory().setKind("Number").newKey("x");
    }

    private static void put(Datastore store, long n) {
        store.put(Entity.newBuilder(key(store)).set("n", n).build());
    }

    private static long n(Datastore store) {
        return store.get(key(store)).getLong("n");
    }

    @Test
    @Order(1)
    void acknowledgedWritesAreVisibleAtTheOtherServer() {
        Datastore atFirst = at(first, Fixture.PROJECT);
        Datastore atSecond = at(second, Fixture.PROJECT);
        for (int i = 0; i < 20; i++) {
            put(atFirst, i);
            assertThat(n(atSecond)).isEqualTo(i);
            atSecond.runInTransaction(transaction -> {
                long now = transaction.get(key(atSecond)).getLong("n");
                return transaction.put(Entity.newBuilder(key(atSecond)).set("n", now + 100).build());
            });
            assertThat(n(atFirst)).isEqualTo(i + 100);
            List<Long> all = new ArrayList<>();
            atFirst.run(Query.newEntityQueryBuilder().setKind("Number").build())
                    .forEachRemaining(entity -> all.add(entity.getLong("n")));
            assertThat(all).containsExactly(i + 100L);
        }
    }

    /** The last test: it kills the second server. */
    @Test
    @Order(2)
    void aProgramContinuesAtTheOtherServerAfterAKill() throws Exception {
        List<String> projects = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            projects.add("killed-" + namespace.substring(0, 8) + "-" + i);
            put(at(second, projects.get(i)), 1);
        }
        List<String> owned = ownedBySecond();
        String lost = projects.stream().filter(owned::contains).findFirst().orElseThrow();
        ProcessHandle.of(Long.parseLong(System.getenv("PETRICHOR_SECOND_PID")))
                .orElseThrow()
                .destroyForcibly();
        Datastore store = at(first, lost);
        assertThat(again(store)).isEqualTo(1);
        put(store, 2);
        for (String project : projects) {
            assertThat(n(at(first, project))).as(project).isEqualTo(project.equals(lost) ? 2 : 1);
        }
    }

    /** Retries requests that are refused during the takeover, as a program would. */
    private static long again(Datastore store) {
        long until = System.nanoTime() + AGAIN_MAX.toNanos();
        while (true) {
            try {
                return n(store);
            } catch (DatastoreException away) {
                if (System.nanoTime() > until) {
                    throw away;
                }
            }
        }
    }

    /** The page lists all servers; the answering server is marked, and its databases follow. */
    private List<String> ownedBySecond() throws Exception {
        String page = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + second + "/petrichor/v1/cluster")).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        String self = page.substring(page.indexOf("\"self\":true"));
        Matcher names = NAME.matcher(self.substring(0, self.indexOf(']')));
        List<String> owned = new ArrayList<>();
        while (names.find()) {
            owned.add(names.group(1));
        }
        return owned;
    }
}
