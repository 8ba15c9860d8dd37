package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.client.ChangeFeedClient;
import petrichor.client.DatabaseName;
import petrichor.client.FeedCommit;
import petrichor.client.FeedCommits;
import petrichor.client.FeedSelection;

/** The Java client of the change feed, against a real server. */
final class ChangeFeedClientTest {
    private static final Duration RETRY_FOR = Duration.ofSeconds(30);
    private static final FeedSelection KEPT =
            FeedSelection.from(FeedSelection.OLDEST).withoutFollowing();

    private static ChangeFeedClient client(int port) {
        return new ChangeFeedClient(
                URI.create("http://localhost:" + port), new DatabaseName("p", ""), "", null);
    }

    private static List<Long> numbers(ChangeFeedClient client, FeedSelection selection) {
        List<Long> numbers = new ArrayList<>();
        try (FeedCommits commits = client.open(selection, RETRY_FOR)) {
            commits.forEachRemaining(commit -> numbers.add(number(commit)));
        }
        return numbers;
    }

    private static long number(FeedCommit commit) {
        return Objects.requireNonNull(commit.changes().getFirst().after())
                .getPropertiesMap()
                .values()
                .iterator()
                .next()
                .getIntegerValue();
    }

    @Test
    void keptCommitsAreReadInOrderAndFurtherOnesAreWaitedFor() {
        try (TestServer server = TestServer.start();
                ChangeFeedClient client = client(server.port())) {
            for (int i = 0; i < 5; i++) {
                server.put("p", "e" + i, i);
            }
            assertThat(numbers(client, KEPT)).containsExactly(0L, 1L, 2L, 3L, 4L);
            assertThat(numbers(client, KEPT.withKind("Other"))).isEmpty();
            try (FeedCommits commits =
                    client.open(FeedSelection.from(FeedSelection.NEWEST), RETRY_FOR)) {
                CompletableFuture<FeedCommit> next = CompletableFuture.supplyAsync(commits::next);
                while (commits.position().isEmpty()) {
                    Thread.onSpinWait();
                }
                server.put("p", "late", 9);
                FeedCommit commit = next.join();
                assertThat(number(commit)).isEqualTo(9);
                assertThat(commit.changes().getFirst().before()).isNull();
                assertThat(commit.changes().getFirst().key().getPath(0).getName())
                        .isEqualTo("late");
            }
        }
    }

    @Test
    void aConsumerContinuesAfterWhatWasProcessed() {
        try (TestServer server = TestServer.start();
                ChangeFeedClient client = client(server.port())) {
            for (int i = 0; i < 4; i++) {
                server.put("p", "e" + i, i);
            }
            FeedSelection selection = KEPT.withConsumer("index");
            try (FeedCommits commits = client.open(selection, RETRY_FOR)) {
                assertThat(number(commits.next())).isZero();
                assertThat(number(commits.next())).isEqualTo(1);
            }
            // Nothing was asked for after the second commit, so it was not processed.
            assertThat(numbers(client, selection)).containsExactly(1L, 2L, 3L);
            assertThat(client.position("index").orElseThrow()).isBetween(1L, client.newest());
            assertThat(numbers(client, selection)).isEmpty();
            client.delete("index");
            assertThat(client.position("index")).isEmpty();
        }
    }

    /** The connections end after some bytes each; no commit is missing and none comes twice. */
    @Test
    void aConnectionThatEndsIsContinuedAfterTheLastCommit() throws IOException {
        try (TestServer server = TestServer.start();
                ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            List<Long> expected = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                server.put("p", "e" + i, i);
                expected.add((long) i);
            }
            AtomicInteger connections = new AtomicInteger();
            // Ends when the proxy is closed.
            var _ = Thread.ofVirtual().start(() -> forward(proxy, server.port(), connections));
            try (ChangeFeedClient client = client(proxy.getLocalPort())) {
                assertThat(numbers(client, KEPT)).isEqualTo(expected);
            }
            assertThat(connections.get()).isGreaterThan(2);
        }
    }

    /** Forwards one request per connection, and more bytes of the response each time. */
    private static void forward(ServerSocket proxy, int port, AtomicInteger connections) {
        while (true) {
            try (Socket client = proxy.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
                int left = 1_500 * connections.incrementAndGet();
                InputStream request = client.getInputStream();
                StringBuilder head = new StringBuilder();
                while (!head.toString().endsWith("\r\n\r\n")) {
                    head.append((char) request.read());
                }
                server.getOutputStream()
                        .write(
                                head.toString()
                                        .replace("Host:", "Connection: close\r\nHost:")
                                        .getBytes(StandardCharsets.ISO_8859_1));
                while (left > 0) {
                    byte[] part = server.getInputStream().readNBytes(Math.min(left, 100));
                    if (part.length == 0) {
                        break;
                    }
                    client.getOutputStream().write(part);
                    left -= part.length;
                }
            } catch (IOException ended) {
                if (proxy.isClosed()) {
                    return;
                }
            }
        }
    }

    @Test
    void failuresNameTheReason() {
        try (TestServer server = TestServer.start();
                ChangeFeedClient client = client(server.port())) {
            server.put("p", "a", 1);
            try (FeedCommits commits =
                    client.open(FeedSelection.from("9000000000000000"), RETRY_FOR)) {
                assertThatThrownBy(commits::hasNext)
                        .isInstanceOf(PetrichorException.class)
                        .hasMessageContaining("in the future");
            }
        }
        try (ChangeFeedClient unreachable = client(1);
                FeedCommits commits = unreachable.open(KEPT, Duration.ZERO)) {
            assertThatThrownBy(commits::hasNext).hasMessageContaining("does not answer");
        }
    }
}
