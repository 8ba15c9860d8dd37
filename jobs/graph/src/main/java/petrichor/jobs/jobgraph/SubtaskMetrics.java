package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one subtask's metrics.
 *
 * @param waitedForInputNanos how long it waited for input
 * @param waitedForRoomNanos how long it was blocked by back-pressure
 * @param elapsedNanos from its start to its end, or until now; 0 for a fused task, which has no
 *     thread of its own
 * @param cpuNanos processor time; 0 where that is unknown
 * @param channelBytes size of the data passed to channels to another process or into a file
 * @param wireBytes the same, as compressed
 * @param level compression level of the newest block of these; null if there was none
 * @param channels those that it has sent data through
 * @param sourceBytesRead stored bytes read of its source's splits
 */
public record SubtaskMetrics(
        long recordsIn,
        long bytesIn,
        long recordsOut,
        long bytesOut,
        long waitedForInputNanos,
        long waitedForRoomNanos,
        long elapsedNanos,
        long cpuNanos,
        long channelBytes,
        long wireBytes,
        @Nullable String level,
        List<ChannelMetrics> channels,
        long sourceBytesRead)
        implements Serializable {
    public static final SubtaskMetrics NONE =
            new SubtaskMetrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, List.of(), 0);

    public SubtaskMetrics {
        channels = List.copyOf(channels);
    }

    /** Of a task that reads no source. */
    public SubtaskMetrics(
            long recordsIn,
            long bytesIn,
            long recordsOut,
            long bytesOut,
            long waitedForInputNanos,
            long waitedForRoomNanos,
            long elapsedNanos,
            long cpuNanos,
            long channelBytes,
            long wireBytes,
            @Nullable String level,
            List<ChannelMetrics> channels) {
        this(
                recordsIn,
                bytesIn,
                recordsOut,
                bytesOut,
                waitedForInputNanos,
                waitedForRoomNanos,
                elapsedNanos,
                cpuNanos,
                channelBytes,
                wireBytes,
                level,
                channels,
                0);
    }

    public long waitingNanos() {
        return Math.min(waitedForInputNanos + waitedForRoomNanos, elapsedNanos);
    }

    /** How long it has worked. */
    public long processingNanos() {
        return elapsedNanos - waitingNanos();
    }

    /** The sum of both; times are added, and channels to the same receiver are merged. */
    public SubtaskMetrics plus(SubtaskMetrics other) {
        return new SubtaskMetrics(
                recordsIn + other.recordsIn,
                bytesIn + other.bytesIn,
                recordsOut + other.recordsOut,
                bytesOut + other.bytesOut,
                waitedForInputNanos + other.waitedForInputNanos,
                waitedForRoomNanos + other.waitedForRoomNanos,
                elapsedNanos + other.elapsedNanos,
                cpuNanos + other.cpuNanos,
                channelBytes + other.channelBytes,
                wireBytes + other.wireBytes,
                other.level == null ? level : other.level,
                together(channels, other.channels),
                sourceBytesRead + other.sourceBytesRead);
    }

    /** The difference to an earlier snapshot. */
    public SubtaskMetrics since(SubtaskMetrics earlier) {
        SortedMap<SubtaskId, ChannelMetrics> before = new TreeMap<>();
        earlier.channels.forEach(each -> before.put(each.to(), each));
        return new SubtaskMetrics(
                recordsIn - earlier.recordsIn,
                bytesIn - earlier.bytesIn,
                recordsOut - earlier.recordsOut,
                bytesOut - earlier.bytesOut,
                waitedForInputNanos - earlier.waitedForInputNanos,
                waitedForRoomNanos - earlier.waitedForRoomNanos,
                elapsedNanos - earlier.elapsedNanos,
                cpuNanos - earlier.cpuNanos,
                channelBytes - earlier.channelBytes,
                wireBytes - earlier.wireBytes,
                level,
                channels.stream().map(each -> each.since(before.get(each.to()))).toList(),
                sourceBytesRead - earlier.sourceBytesRead);
    }

    private static List<ChannelMetrics> together(List<ChannelMetrics> a, List<ChannelMetrics> b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.isEmpty() ? b : a;
        }
        SortedMap<SubtaskId, ChannelMetrics> byReceiver = new TreeMap<>();
        a.forEach(each -> byReceiver.merge(each.to(), each, ChannelMetrics::plus));
        b.forEach(each -> byReceiver.merge(each.to(), each, ChannelMetrics::plus));
        return List.copyOf(byReceiver.values());
    }
}
