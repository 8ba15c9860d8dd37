package petrichor.apps.instances;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import petrichor.base.TimeSource;

/**
 * Moves one stream of an instance to its log. It reads all the time, also what it drops, so that
 * the app never waits for its output; its memory is one line and one buffer. A platform thread,
 * because a read from a pipe would occupy the carrier of a virtual one.
 */
final class OutputReader {
    private static final int BUFFER_BYTES = 8 << 10;

    private static final long STACK_BYTES = 256 << 10;

    private final InputStream in;
    private final LogLine.Stream stream;
    private final String instance;
    private final InstanceLog log;
    private final RecentLines recent;
    private final TimeSource time;
    private final LineRate rate;
    private final Thread thread;

    OutputReader(
            InputStream in,
            LogLine.Stream stream,
            String instance,
            InstanceLog log,
            RecentLines recent,
            TimeSource time) {
        this.in = in;
        this.stream = stream;
        this.instance = instance;
        this.log = log;
        this.recent = recent;
        this.time = time;
        this.rate = new LineRate(log.limits().linesPerSecondMax(), time);
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name(stream + " of " + instance)
                        .stackSize(STACK_BYTES)
                        .start(this::read);
    }

    private void read() {
        LineSplitter lines = new LineSplitter(log.limits().lineBytesMax(), this::line);
        byte[] buffer = new byte[BUFFER_BYTES];
        try (in) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                lines.add(buffer, read);
            }
        } catch (IOException ended) {
            // The process was killed; its last lines were read.
        }
        lines.end();
        reportDropped();
    }

    private void line(String text) {
        recent.add(text);
        if (rate.passes()) {
            reportDropped();
            log.append(line(stream, text));
        }
    }

    private void reportDropped() {
        long dropped = rate.takeDropped();
        if (dropped > 0) {
            String text =
                    dropped
                            + " lines dropped: more than "
                            + log.limits().linesPerSecondMax()
                            + " lines per second";
            log.append(line(LogLine.Stream.PLATFORM, text));
        }
    }

    private LogLine line(LogLine.Stream from, String text) {
        return new LogLine(
                Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS), instance, from, text);
    }

    long dropped() {
        return rate.dropped();
    }

    /** Waits until all output was read; false if the stream is still open. */
    boolean await(Duration timeMax) throws InterruptedException {
        return thread.join(timeMax);
    }
}
