package petrichor.frontends.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AuditLogTest {
    private static final int FILE_BYTES_MAX = 2_000;
    private static final Caller WEB = new Caller("web", Role.WRITE, Scope.EVERYTHING);

    @TempDir private Path folder;

    @Test
    void aRequestBecomesALineWithNamesAndCodes() throws IOException {
        Path file = folder.resolve("audit.jsonl");
        try (AuditLog log = open(AuditSettings.Events.ALL, file)) {
            AccessAttempt attempt = attempt(log, "Commit");
            attempt.admit(WEB);
            attempt.require(Role.WRITE, "shop", "");
            attempt.end("OK");
        }
        JsonObject line = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        assertThat(line.remove("time").getAsString()).startsWith("2");
        assertThat(line)
                .hasToString(
                        "{\"token\":\"web\",\"address\":\"127.0.0.1\",\"port\":7,"
                            + "\"protocol\":\"grpc\",\"method\":\"Commit\",\"project\":\"shop\","
                            + "\"database\":\"(default)\",\"outcome\":\"OK\"}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void writesAndDenialsAreRecordedAndReadsOnlyOnRequest() throws IOException {
        assertThat(outcomes(AuditSettings.Events.ALL))
                .containsExactly("read OK", "write ABORTED", "read PERMISSION_DENIED");
        assertThat(outcomes(AuditSettings.Events.WRITES))
                .containsExactly("write ABORTED", "read PERMISSION_DENIED");
        assertThat(outcomes(AuditSettings.Events.OFF)).isEmpty();
    }

    private List<String> outcomes(AuditSettings.Events events) throws IOException {
        Path file = folder.resolve(events.text());
        try (AuditLog log = open(events, file)) {
            end(log, Role.READ, "OK");
            end(log, Role.WRITE, "ABORTED");
            end(log, Role.READ, "PERMISSION_DENIED");
        }
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            JsonObject entry = JsonParser.parseString(line).getAsJsonObject();
            found.add(entry.get("method").getAsString() + " " + entry.get("outcome").getAsString());
        }
        return found;
    }

    private static void end(AuditLog log, Role role, String outcome) {
        AccessAttempt attempt = attempt(log, role.text());
        attempt.admit(WEB);
        attempt.require(role);
        attempt.end(outcome);
    }

    @Test
    void filesAreRotatedBySizeAndTheOldestIsDeleted() throws IOException {
        Path file = folder.resolve("audit.jsonl");
        int records = 200;
        for (int opened = 0; opened < 2; opened++) { // the second log continues the file
            try (AuditLog log = open(AuditSettings.Events.ALL, file)) {
                for (int i = 0; i < records / 2; i++) {
                    end(log, Role.READ, "number " + (opened * records / 2 + i));
                }
            }
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.sorted().toList();
        }
        assertThat(files)
                .extracting(one -> one.getFileName().toString())
                .containsExactly("audit.jsonl", "audit.jsonl.1", "audit.jsonl.2");
        List<String> lines = new ArrayList<>();
        for (Path one : files.reversed()) {
            assertThat(Files.size(one)).isLessThanOrEqualTo(FILE_BYTES_MAX);
            lines.addAll(Files.readAllLines(one));
        }
        int first = records - lines.size();
        assertThat(first).isPositive();
        for (int i = 0; i < lines.size(); i++) {
            assertThat(JsonParser.parseString(lines.get(i)).getAsJsonObject().get("outcome"))
                    .hasToString("\"number " + (first + i) + "\"");
        }
    }

    /** A pipe without a reader blocks the writer like a disk that does not answer. */
    @Test
    void aBlockedWriterDoesNotDelayRequests() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        AuditLog log;
        try (RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw")) {
            log = open(AuditSettings.Events.ALL, pipe, Long.MAX_VALUE);
            int added = 0;
            while (dropped(log, "queue_full") == 0) {
                end(log, Role.READ, "OK");
                added++;
                assertThat(added).isLessThan(1_000_000);
            }
            assertThat(added).isGreaterThan(AuditLog.QUEUED_MAX);
            end(log, Role.READ, "OK");
            assertThat(reader.getChannel().isOpen()).isTrue();
        }
        log.close(); // the writer's end breaks with the reader's
    }

    @Test
    void recordsThatTheDiskRefusesAreCounted() throws IOException {
        Path full = Path.of("/dev/full");
        try (AuditLog log = open(AuditSettings.Events.ALL, full)) {
            end(log, Role.READ, "OK");
            await(() -> dropped(log, "write_failed") == 1);
        }
        assertThatThrownBy(
                        () -> open(AuditSettings.Events.ALL, folder.resolve("none/audit")).close())
                .hasMessageContaining("cannot write the audit log")
                .hasMessageContaining("audit.file");
    }

    @Test
    void strangersCannotFillTheFiles() throws IOException {
        Path file = folder.resolve("audit.jsonl");
        int requests = 50_000;
        try (AuditLog log = open(AuditSettings.Events.WRITES, file, Long.MAX_VALUE)) {
            long started = System.nanoTime();
            for (int i = 0; i < requests; i++) {
                attempt(log, "Commit").end("UNAUTHENTICATED");
            }
            long seconds = 2 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
            await(() -> dropped(log, "unauthenticated") + written(log) == requests);
            assertThat(written(log))
                    .isLessThanOrEqualTo(seconds * AuditLog.STRANGERS_PER_SECOND_MAX);
            assertThat(written(log)).isPositive();
        }
    }

    @Test
    void textsOfClientsAreTruncatedAndEscaped() throws IOException {
        Path file = folder.resolve("audit.jsonl");
        try (AuditLog log = open(AuditSettings.Events.ALL, file)) {
            AccessAttempt attempt = attempt(log, "GET /a\n{\"x\": 1}" + "y".repeat(5_000));
            attempt.end("UNAUTHENTICATED");
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).singleElement().asString().hasSizeLessThan(500).contains("\\n");
    }

    private static AccessAttempt attempt(AuditLog log, String method) {
        return new AccessAttempt(
                log, "grpc", method, new InetSocketAddress(InetAddress.getLoopbackAddress(), 7));
    }

    private static AuditLog open(AuditSettings.Events events, Path file) {
        return open(events, file, FILE_BYTES_MAX);
    }

    private static AuditLog open(AuditSettings.Events events, Path file, long bytesMax) {
        return AuditLog.open(new AuditSettings(events, file, bytesMax, 3));
    }

    private static long dropped(AuditLog log, String reason) {
        return metric(log, "petrichor_audit_dropped", Labels.of("reason", reason));
    }

    private static long written(AuditLog log) {
        return metric(log, "petrichor_audit_records", Labels.EMPTY);
    }

    private static long metric(AuditLog log, String name, Labels labels) {
        PrometheusRegistry registry = new PrometheusRegistry();
        log.register(registry);
        return registry.scrape(name::equals).stream()
                .flatMap(family -> family.getDataPoints().stream())
                .filter(point -> point.getLabels().equals(labels))
                .mapToLong(point -> (long) ((CounterDataPointSnapshot) point).getValue())
                .findFirst()
                .orElseThrow();
    }

    private static void await(java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
