package petrichor.bench.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Processor time of a server that has a process per connection, on Linux. */
final class ServerTimes {
    /** Of the kernel's statistics. */
    private static final long TICKS_PER_SECOND = 100;

    /** After the name, in which spaces may occur: utime, stime, cutime, cstime. */
    private static final int USER_TIME = 11;

    private static final int TIMES = 4;

    private ServerTimes() {}

    /** With that of its children, also of those that have ended. */
    static Duration of(long pid) {
        long ticks = ticks(pid);
        List<ProcessHandle> children =
                ProcessHandle.of(pid).map(ProcessHandle::children).orElse(Stream.of()).toList();
        for (ProcessHandle child : children) {
            ticks += ticks(child.pid());
        }
        return Duration.ofMillis(ticks * 1_000 / TICKS_PER_SECOND);
    }

    private static long ticks(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = USER_TIME; i < USER_TIME + TIMES; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks;
        } catch (IOException ended) {
            return 0;
        }
    }
}
