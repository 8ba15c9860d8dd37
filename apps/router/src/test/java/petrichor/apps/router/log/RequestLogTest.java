package petrichor.apps.router.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.table.VersionName;

final class RequestLogTest {
    private static RequestRecord record(String uri) {
        return new RequestRecord(
                Instant.parse("2026-01-02T03:04:05Z"),
                new RequestRecord.Ids("r1", "t1"),
                new RequestRecord.Server(Optional.of(new VersionName("a", "s", "v")), "i1"),
                new RequestRecord.Request(
                        "GET",
                        "h",
                        uri,
                        new RequestRecord.Client("127.0.0.1", "agent", "HTTP/2"),
                        1),
                new RequestRecord.Response(200, 2, Duration.ofMillis(3), Duration.ofNanos(4_000)),
                "");
    }

    private static final class Lines implements RequestLog.Target {
        private final List<String> written = new CopyOnWriteArrayList<>();
        private final CountDownLatch open = new CountDownLatch(1);

        @Override
        public void write(byte[] lines) {
            try {
                assertThat(open.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            written.addAll(new String(lines, UTF_8).lines().toList());
        }

        @Override
        public void close() {
            written.add("closed");
        }
    }

    @Test
    void aRecordIsOneLineOfJson() {
        assertThat(record("/a\"b\\c\n\u0001\u00fc\ud83d\ude00\u2028").json())
                .isEqualTo(
                        "{\"time\":\"2026-01-02T03:04:05Z\",\"trace\":\"t1\",\"request\":\"r1\","
                            + "\"app\":\"a\",\"service\":\"s\",\"version\":\"v\","
                            + "\"instance\":\"i1\",\"method\":\"GET\",\"host\":\"h\","
                            + "\"path\":\"/a\\\"b\\\\c\\u000a\\u0001\u00fc\\ud83d\\ude00\\u2028\","
                            + "\"protocol\":\"HTTP/2\",\"status\":200,\"request_bytes\":1,"
                            + "\"response_bytes\":2,\"latency_us\":3000,\"pending_us\":4,"
                            + "\"client\":\"127.0.0.1\",\"user_agent\":\"agent\"}");
    }

    @Test
    void aSlowTargetDropsRecordsInsteadOfBlocking() {
        Lines lines = new Lines();
        RequestLog log = RequestLog.to(lines, 10);
        for (int i = 0; i < 1_000; i++) {
            log.add(record("/" + i));
        }
        assertThat(log.dropped()).isPositive();
        lines.open.countDown();
        log.close();
        assertThat(log.written() + log.dropped()).isEqualTo(1_000);
        assertThat(lines.written).hasSize((int) log.written() + 1).endsWith("closed");
        log.add(record("/late"));
        assertThat(lines.written).endsWith("closed");
    }

    @Test
    void aTargetThatFailsIsTriedAgain() {
        List<String> written = new CopyOnWriteArrayList<>();
        boolean[] failed = {false};
        CountDownLatch first = new CountDownLatch(1);
        RequestLog log =
                RequestLog.to(
                        new RequestLog.Target() {
                            @Override
                            public void write(byte[] lines) {
                                if (!failed[0]) {
                                    failed[0] = true;
                                    first.countDown();
                                    throw new IllegalStateException("the disk is full");
                                }
                                written.add(new String(lines, UTF_8));
                            }

                            @Override
                            public void close() {
                                // nothing is open
                            }
                        });
        log.add(record("/lost"));
        try {
            assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        log.add(record("/kept"));
        log.close();
        assertThat(log.dropped()).isEqualTo(1);
        assertThat(written).singleElement().asString().contains("/kept");
    }

    @Test
    void fullFilesAreReplaced(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("requests.log");
        RollingFile rolling = new RollingFile(file, 100, 3);
        for (int i = 0; i < 10; i++) {
            rolling.write(("line " + i + " " + "x".repeat(40) + "\n").getBytes(UTF_8));
        }
        rolling.close();
        assertThat(Files.readString(file)).startsWith("line 8").contains("line 9");
        assertThat(Files.readString(folder.resolve("requests.log.1"))).startsWith("line 6");
        assertThat(Files.readString(folder.resolve("requests.log.2"))).startsWith("line 4");
        assertThat(folder.resolve("requests.log.3")).doesNotExist();
        RollingFile again = new RollingFile(file, 1_000, 3);
        again.write("more\n".getBytes(UTF_8));
        again.close();
        assertThat(Files.readString(file)).startsWith("line 8").endsWith("more\n");
    }
}
