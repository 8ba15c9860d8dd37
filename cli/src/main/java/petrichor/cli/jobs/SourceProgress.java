package petrichor.cli.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import petrichor.jobs.service.TaskSnapshot;

/**
 * Estimates the share of its sources that a job has read, in bytes, and the remaining time at the
 * current rate. Ignores sources of unknown size. Confined to one thread.
 */
final class SourceProgress {
    /** Minimum time for a meaningful rate. */
    private static final Duration RATE_AFTER = Duration.ofSeconds(2);

    private long sinceNanos;
    private long sinceBytes;
    private long seenBytes = -1;

    /** Such as " 45 % read, 1 min 20 s left"; empty if nothing is known. */
    String of(List<TaskSnapshot> tasks, long nowNanos) {
        long total = 0;
        long read = 0;
        for (TaskSnapshot task : tasks) {
            if (task.isSource()) {
                if (task.sourceBytes() < 0) {
                    return "";
                }
                total += task.sourceBytes();
                read += task.metrics().sourceBytesRead();
            }
        }
        return total == 0 ? "" : of(Math.min(read, total), total, nowNanos);
    }

    String of(long read, long total, long nowNanos) {
        if (read < seenBytes || seenBytes < 0) {
            // The job has started, or reads its sources again.
            sinceNanos = nowNanos;
            sinceBytes = read;
        }
        seenBytes = read;
        String share = String.format(Locale.ROOT, "  %d %% read", 100 * read / total);
        long took = nowNanos - sinceNanos;
        if (read == total || read == sinceBytes || took < RATE_AFTER.toNanos()) {
            return share;
        }
        double left = (double) took * (total - read) / (read - sinceBytes);
        return share + ", " + text(Math.round(left / 1e9)) + " left";
    }

    private static String text(long seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        return seconds < 3_600
                ? seconds / 60 + " min " + seconds % 60 + " s"
                : seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
    }
}
