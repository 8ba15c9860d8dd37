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
    private final BlockPool pool;
    private final TimeSource time;
    private final Map<Long, Inbox> waiting = new ConcurrentHashMap<>();

    /**
     * @param where the process's address, for failures
     */
    PendingChannels(String where, ChannelLimits limits, BlockPool pool, TimeSource time) {
        this.where = where;
        this.limits = limits;
        this.pool = pool;
        this.time = time;
    }

    /** The inbox of a channel; a new one if nobody has asked for it yet. */
    Inbox inbox(long channel) {
        if (waiting.size() >= limits.channelsPerConnection() && !waiting.containsKey(channel)) {
            throw new PetrichorException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    limits.channelsPerConnection()
                            + " channels are waiting for their other end at "
                            + where
                            + ", which is the limit");
        }
        return waiting.computeIfAbsent(
                channel, id -> new Inbox(id + " at " + where, limits, pool, time));
    }

    /** One end came; if both are there, nobody has to find the inbox any more. */
    void came(long channel, Inbox inbox) {
        if (inbox.met()) {
            waiting.remove(channel, inbox);
        }
    }

    int count() {
        return waiting.size();
    }

    void fail(ErrorCode code, String reason) {
        waiting.values().forEach(inbox -> inbox.failed(code, reason));
        waiting.clear();
    }
}
