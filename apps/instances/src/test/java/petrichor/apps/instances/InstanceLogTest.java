package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

final class InstanceLogTest {
    private static final LogLimits SMALL = new LogLimits(100, 1_000, 3, 10);
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir Path folder;

    private static LogLine line(int number) {
        return new LogLine(
                Instant.ofEpochMilli(number), "i1", LogLine.Stream.STDOUT, "line number " + number);
    }

    private static List<String> drain(LogTail tail) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        for (List<LogLine> some = tail.read(Duration.ZERO);
                !some.isEmpty();
                some = tail.read(Duration.ZERO)) {
            some.forEach(each -> texts.add(each.text()));
        }
        return texts;
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> line(i).text()).toList();
    }

    @Test
    void aLineHasTimeInstanceAndStream() throws Exception {
        LogLine line =
                new LogLine(
                        Instant.parse("2026-11-28T01:02:03.000004Z"),
                        "i7",
                        LogLine.Stream.STDERR,
                        "  a b  c");
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            log.append(line);
            assertThat(log.tail(1).read(LONG)).containsExactly(line);
        }
        assertThat(Files.readString(folder.resolve("0000000001.log")))
                .isEqualTo("2026-11-28T01:02:03.000004Z i7 stderr   a b  c\n");
    }

    @Test
    void tailStartsWithTheLastLines() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, LogLimits.DEFAULT)) {
            for (int i = 1; i <= 5_000; i++) {
                log.append(line(i));
            }
            assertThat(drain(log.tail(3))).isEqualTo(numbered(4_998, 5_000));
            assertThat(drain(log.tail(0))).isEmpty();
            // More than one block of the search.
            assertThat(drain(log.tail(4_000))).isEqualTo(numbered(1_001, 5_000));
            assertThat(drain(log.tail(6_000))).isEqualTo(numbered(1, 5_000));
        }
    }

    @Test
    void filesRotateAndTheOldestAreDeleted() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            for (int i = 1; i <= 200; i++) {
                log.append(line(i));
            }
            List<String> kept = drain(log.tail(Integer.MAX_VALUE));
            assertThat(kept).hasSizeGreaterThan(40).endsWith(line(200).text());
            assertThat(kept).isEqualTo(numbered(201 - kept.size(), 200));
            // Across a border of files.
            assertThat(drain(log.tail(30))).isEqualTo(numbered(171, 200));
        }
        try (var files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(3);
            for (Path each : all) {
                assertThat(Files.size(each)).isBetween(1L, 1_000L);
            }
        }
    }

    @Test
    void aFollowerWaitsForLines() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            LogTail tail = log.tail(10);
            assertThat(tail.read(Duration.ofMillis(1))).isEmpty();
            CompletableFuture<List<LogLine>> read = reading(tail);
            log.append(line(1));
            assertThat(read.get(60, TimeUnit.SECONDS)).containsExactly(line(1));
        }
    }

    @Test
    void closingEndsAFollower() throws Exception {
        InstanceLog log = InstanceLog.open(folder, SMALL);
        CompletableFuture<List<LogLine>> read = reading(log.tail(0));
        log.close();
        assertThat(read.get(60, TimeUnit.SECONDS)).isEmpty();
        log.append(line(1));
        assertThat(folder.resolve("0000000001.log")).doesNotExist();
    }

    private static CompletableFuture<List<LogLine>> reading(LogTail tail) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return tail.read(Duration.ofMinutes(10));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Test
    void aFollowerContinuesAcrossFiles() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            LogTail tail = log.tail(0);
            List<String> read = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                log.append(line(i));
                read.addAll(drain(tail));
            }
            assertThat(read).isEqualTo(numbered(1, 100));
            assertThat(tail.takeMissed()).isFalse();
        }
    }

    @Test
    void aSlowFollowerLearnsThatItMissedLines() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            LogTail tail = log.tail(0);
            for (int i = 1; i <= 200; i++) {
                log.append(line(i));
            }
            List<String> read = drain(tail);
            assertThat(read).isEqualTo(numbered(201 - read.size(), 200));
            assertThat(tail.takeMissed()).isTrue();
            assertThat(tail.takeMissed()).isFalse();
        }
    }

    @Test
    void anotherRunContinuesTheLog() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            log.append(line(1));
        }
        // A crash of the machine in the middle of a line.
        Files.writeString(
                folder.resolve("0000000001.log"), "2026-11-28T01:0", StandardOpenOption.APPEND);
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            log.append(line(2));
            assertThat(drain(log.tail(10))).isEqualTo(numbered(1, 2));
        }
    }

    @Test
    void aLogThatCannotBeWrittenCountsItsLosses() throws Exception {
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            // A folder in place of the file.
            Files.createDirectory(folder.resolve("0000000001.log"));
            log.append(line(1));
            log.append(line(2));
            assertThat(log.lostLines()).isEqualTo(2);
            Files.delete(folder.resolve("0000000001.log"));
            log.append(line(3));
            assertThat(log.lostLines()).isEqualTo(2);
            assertThat(drain(log.tail(10))).isEqualTo(numbered(3, 3));
        }
    }

    @Test
    void theLongestLineIsRead() throws Exception {
        List<LogLine> written = new ArrayList<>();
        try (InstanceLog log = InstanceLog.open(folder, SMALL)) {
            LineSplitter lines =
                    new LineSplitter(
                            SMALL.lineBytesMax(),
                            text ->
                                    written.add(
                                            new LogLine(
                                                    Instant.now(),
                                                    "i".repeat(100),
                                                    LogLine.Stream.PLATFORM,
                                                    text)));
            byte[] bells = "\7".repeat(100_000).getBytes(StandardCharsets.UTF_8);
            lines.add(bells, bells.length);
            lines.end();
            log.append(written.getFirst());
            assertThat(log.tail(1).read(LONG)).isEqualTo(written);
        }
    }

    @Test
    void refusesFilesThatCannotContainALine() throws IOException {
        assertThatThrownBy(() -> new LogLimits(1_000, 1_000, 3, 10))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("cannot contain a line");
    }
}
