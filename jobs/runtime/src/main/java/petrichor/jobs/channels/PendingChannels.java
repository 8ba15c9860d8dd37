package petrichor.jobs.channels;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Rendezvous of the two ends of a process's channels, in either order. A channel is registered
 * until both ends are attached. Safe for any thread.
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

    /** The receiving end of a channel; created by the first caller. */
    RemoteChannel channel(long channel) {
        if (waiting.size() >= limits.channelsPerConnection() && !waiting.containsKey(channel)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the process at {address} has reached its limit of {channelsPerConnection}"
                            + " channels that wait for their other end",
                    "channelsPerConnection",
                    limits.channelsPerConnection(),
                    "address",
                    where);
        }
        return waiting.computeIfAbsent(
                channel, id -> new RemoteChannel(id + " at " + where, limits, time));
    }

    /** Reports that one end is attached, and removes the channel if both are. */
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
