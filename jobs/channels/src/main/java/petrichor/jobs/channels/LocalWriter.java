package petrichor.jobs.channels;

import petrichor.base.ErrorCode;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.Level;

/** Writes to an inbox of this process: blocks change their owner and are not copied. */
final class LocalWriter implements BlockWriter, Inbox.Feeder {
    private final Inbox inbox;
    private final ChannelCounters counters;

    LocalWriter(Inbox inbox, TimeSource time) {
        this.inbox = inbox;
        this.counters = new ChannelCounters(time.monotonicNanos());
        inbox.feeder(this);
    }

    @Override
    public Outcome write(Block block) {
        int length = block.length();
        Outcome outcome = inbox.put(block, counters);
        if (outcome == Outcome.ACCEPTED) {
            counters.block(length, length, Level.NONE);
        }
        return outcome;
    }

    @Override
    public void end() {
        inbox.ended();
    }

    @Override
    public void fail(String reason) {
        inbox.failed(ErrorCode.ABORTED, reason);
    }

    @Override
    public void close() {
        inbox.failed(ErrorCode.ABORTED, "its writer closed before the end");
    }

    /** The inbox wakes its writer by itself. */
    @Override
    public void taken() {}

    @Override
    public void enough() {}

    @Override
    public ChannelCounters counters() {
        return counters;
    }
}
