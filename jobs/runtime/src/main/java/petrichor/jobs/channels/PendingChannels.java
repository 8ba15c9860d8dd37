package petrichor.jobs.channels;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Where the two ends of a process's channels find each other, whichever comes first. A channel is
 * known here until both are there. Safe for any thread.
 */
final class PendingChannels {
    private final String where;
    private final ChannelLimits limits;
    private final TimeSource time;
    private final Map<Long, RemoteChannel> waiting = new ConcurrentHashMap<>();

    /**
     * @param where the process's address, for failures
     */
    PendingChannels(String where, ChannelLimits limits, TimeSource time) {
        this.where = where;
        this.limits = limits;
        this.time = time;
    }

    /** The receiving end of a channel; a new one if no one has asked for it yet. */
    RemoteChannel channel(long channel) {
        if (waiting.size() >= limits.channelsPerConnection() && !waiting.containsKey(channel)) {
            throw new PetrichorException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    limits.channelsPerConnection()
                            + " channels are waiting for their other end at "
                            + where
                            + ", which is the limit");
        }
        return waiting.computeIfAbsent(
                channel, id -> new RemoteChannel(id + " at " + where, limits, time));
    }

    /** One end came; if both are there, no one has to find the channel any more. */
    void came(long number, RemoteChannel channel) {
        if (channel.met()) {
            waiting.remove(number, channel);
        }
    }

    int count() {
        return waiting.size();
    }

    void fail(ErrorCode code, String reason) {
        waiting.values().forEach(channel -> channel.failed(code, reason));
        waiting.clear();
    }
}
