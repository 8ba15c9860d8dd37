package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one subtask has done so far, at one moment.
 *
 * @param waitedForInputNanos how long it had nothing to do
 * @param waitedForRoomNanos how long those behind it did not take its results
 * @param elapsedNanos from its start to its end, or to that moment; 0 for what has no thread of its
 *     own
 * @param cpuNanos how long a processor was at it; 0 where that is not known
 * @param channelBytes what it has given to channels that lead to another process or into a file
 * @param wireBytes the same, as compressed
 * @param level how the newest block of these was compressed; null if there was none
 * @param channels those that it has sent something through
 * @param sourceBytesRead of a source: how many bytes of its splits it has read, where they lie
 */
public record SubtaskFigures(
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
        List<ChannelFigures> channels,
        long sourceBytesRead)
        implements Serializable {
    public static final SubtaskFigures NONE =
            new SubtaskFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, List.of(), 0);

    public SubtaskFigures {
        channels = List.copyOf(channels);
    }

    /** Of what reads no source. */
    public SubtaskFigures(
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
            List<ChannelFigures> channels) {
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

    /** Both together; times are summed, and channels to the same receiver are one. */
    public SubtaskFigures plus(SubtaskFigures other) {
        return new SubtaskFigures(
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

    /** What was done between an earlier moment and this one. */
    public SubtaskFigures since(SubtaskFigures earlier) {
        SortedMap<SubtaskId, ChannelFigures> before = new TreeMap<>();
        earlier.channels.forEach(each -> before.put(each.to(), each));
        return new SubtaskFigures(
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

    private static List<ChannelFigures> together(List<ChannelFigures> a, List<ChannelFigures> b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.isEmpty() ? b : a;
        }
        SortedMap<SubtaskId, ChannelFigures> byReceiver = new TreeMap<>();
        a.forEach(each -> byReceiver.merge(each.to(), each, ChannelFigures::plus));
        b.forEach(each -> byReceiver.merge(each.to(), each, ChannelFigures::plus));
        return List.copyOf(byReceiver.values());
    }
}
