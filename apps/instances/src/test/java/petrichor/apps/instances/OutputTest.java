package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;

/** Lines of output: how they are split and limited. */
final class OutputTest {
    private final List<String> lines = new ArrayList<>();

    private void split(int lineBytesMax, String... parts) {
        LineSplitter splitter = new LineSplitter(lineBytesMax, lines::add);
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            splitter.add(bytes, bytes.length);
        }
        splitter.end();
    }

    @Test
    void linesAreSplitAcrossReads() {
        split(100, "one\ntw", "o\r\n\nthr", "ee");
        assertThat(lines).containsExactly("one", "two", "", "three");
    }

    @Test
    void longLinesAreCut() {
        split(5, "123456", "789\n12345\nab");
        assertThat(lines).containsExactly("12345 … (4 more bytes)", "12345", "ab");
    }

    @Test
    void controlCharactersDoNotReachATerminal() {
        split(100, "a\tb\u001b[31mred\u0007\u009b2J\u007f\n");
        assertThat(lines).containsExactly("a\tb\\x1b[31mred\\x07\\x9b2J\\x7f");
    }

    @Test
    void bytesThatAreNotUtf8AreReplaced() {
        LineSplitter splitter = new LineSplitter(10, lines::add);
        splitter.add(new byte[] {'a', (byte) 0xff, 'b', '\n'}, 4);
        assertThat(lines).containsExactly("a\ufffdb");
    }

    private static final class Clock implements TimeSource {
        long nanos;

        @Override
        public long epochMicros() {
            return nanos / 1_000;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    }

    @Test
    void theRateAllowsABurstOfASecond() {
        Clock clock = new Clock();
        LineRate rate = new LineRate(10, clock);
        assertThat(passed(rate, 25)).isEqualTo(10);
        assertThat(rate.takeDropped()).isEqualTo(15);
        assertThat(rate.takeDropped()).isZero();
        clock.nanos += Duration.ofMillis(500).toNanos();
        assertThat(passed(rate, 25)).isEqualTo(5);
        clock.nanos += Duration.ofHours(1).toNanos();
        assertThat(passed(rate, 25)).isEqualTo(10);
        assertThat(rate.dropped()).isEqualTo(15 + 20 + 15);
    }

    private static int passed(LineRate rate, int lines) {
        int passed = 0;
        for (int i = 0; i < lines; i++) {
            passed += rate.passes() ? 1 : 0;
        }
        return passed;
    }

    @Test
    void theLastLinesFollowTheReason() {
        RecentLines recent = new RecentLines();
        assertThat(recent.after("exited")).isEqualTo("exited");
        for (int i = 0; i < 100; i++) {
            recent.add("line " + i);
        }
        recent.add("x".repeat(10_000));
        assertThat(recent.after("exited").lines())
                .hasSize(21)
                .startsWith("exited; the last lines of its output:", "line 81")
                .endsWith("x".repeat(500) + "…");
    }
}
