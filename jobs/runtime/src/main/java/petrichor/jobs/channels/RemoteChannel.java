package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The receiving end of a channel whose sender is in another process: passes the connection's events
 * to its gate, and the gate's credits (one per free block of queue space) to the connection. Sender
 * and gate may attach in any order; without a gate there are no credits. Safe for any thread. Its
 * monitor is locked before the gate's lock, never the other way round.
 */
final class RemoteChannel {
    /** The connection, which feeds the channel. Called without locks. */
    interface Feeder {
        /** A block was taken: the queue has space for another. */
        void taken();

        /** The receiver wants no more. */
        void cancelUpstream();
    }

    private static final int FEW_BLOCKS = 2;

    private final String name;
    private final ChannelLimits limits;
    private final TimeSource time;
    private final DrainMeter meter = new DrainMeter();

    private volatile @Nullable Feeder feeder;
    private volatile @Nullable InputGate gate;
    private volatile @Nullable InputChannel channel;
    private int slot;
    private boolean ended;
    private volatile @Nullable PetrichorException failure;

    /** Only the thread that takes blocks uses these. */
    private long takenNanos;

    private long idleNanosBefore;

    RemoteChannel(String name, ChannelLimits limits, TimeSource time) {
        this.name = name;
        this.limits = limits;
        this.time = time;
    }

    /** Name of the channel in failures. */
    String name() {
        return "channel " + name;
    }

    /** Attaches the connection. */
    void feeder(Feeder by) {
        InputGate to;
        synchronized (this) {
            if (feeder != null) {
                throw PetrichorException.of(
                        ErrorCode.ALREADY_EXISTS, "{name} has a writer already", "name", name());
            }
            feeder = by;
            to = gate;
        }
        if (to != null && to.isCancelled()) {
            by.cancelUpstream();
        }
    }

    /** Attaches the gate to which the blocks are passed. */
    void attach(InputGate to, int number) {
        Feeder by;
        synchronized (this) {
            if (gate != null) {
                throw PetrichorException.of(
                        ErrorCode.ALREADY_EXISTS, "{name} has a reader already", "name", name());
            }
            by = feeder;
            InputChannel fed = to.feed(number, this, limits.blocksPerChannel());
            slot = number;
            gate = to;
            // Last: this grants credits, so that a block for the gate may arrive at once.
            channel = fed;
            if (failure != null) {
                to.failed(failure);
            } else if (ended) {
                to.end(number);
            }
        }
        if (by != null) {
            by.taken();
            if (to.isCancelled()) {
                by.cancelUpstream();
            }
        }
    }

    /** Whether both ends are attached. */
    boolean met() {
        return gate != null && feeder != null;
    }

    boolean isOpened() {
        return feeder != null || failure != null;
    }

    long openingNanos() {
        return limits.opening().toNanos();
    }

    PetrichorException absent() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "{name}: no writer attached within {openingMillis} ms; the task that feeds it did"
                        + " not start",
                "channel",
                name,
                "name",
                name(),
                "openingMillis",
                limits.opening().toMillis());
    }

    /**
     * Adds a block received from the wire; does not wait.
     *
     * @return false if no gate is attached: the sender had no credits
     */
    boolean arrived(Block packed) {
        InputGate to = gate;
        if (to == null) {
            return false;
        }
        meter.arrived(packed.length() - BlockHeader.BYTES, time.monotonicNanos());
        Feeder by = feeder;
        if (to.arrived(slot, packed) && by != null) {
            by.taken();
        }
        return true;
    }

    /** The writer has ended the stream. */
    synchronized void ended() {
        if (failure == null) {
            ended = true;
            if (gate != null) {
                gate.end(slot);
            }
        }
    }

    /** Fails the stream; the first reason wins, and none counts after the end. */
    void failed(ErrorCode code, String reason) {
        InputGate to;
        PetrichorException broken;
        synchronized (this) {
            if (failure != null || ended) {
                return;
            }
            broken =
                    PetrichorException.of(
                            code,
                            "{name} failed: {reason}",
                            "channel",
                            name,
                            "name",
                            name(),
                            "reason",
                            reason);
            failure = broken;
            to = gate;
        }
        if (to != null) {
            to.failed(broken);
        }
    }

    /** The gate wants no more. */
    void cancelUpstream() {
        Feeder by = feeder;
        if (by != null) {
            by.cancelUpstream();
        }
    }

    /**
     * Decodes a block that the gate's receiver takes.
     *
     * @param idleNanos how long the receiver has waited so far for any channel of the gate
     */
    @Nullable Block open(Block packed, BlockOpener opener, long idleNanos) {
        long begin = time.monotonicNanos();
        long idle = idleNanos - idleNanosBefore;
        idleNanosBefore = idleNanos;
        // The receiver's time since the previous block, minus its waits, was spent on that block.
        meter.asked(takenNanos == 0 ? 0 : Math.max(0, begin - takenNanos - idle), idle);
        Block block = opener.open(packed);
        takenNanos = time.monotonicNanos();
        meter.opened(opener.rawLength(), takenNanos - begin);
        Feeder by = feeder;
        if (by != null) {
            by.taken();
        }
        return block;
    }

    /** Total number of blocks that the writer may have sent. */
    long granted() {
        InputChannel at = channel;
        return at == null ? 0 : at.released() + limits.blocksPerChannel();
    }

    /**
     * Whether the receiver is about to run out of blocks: then new credits must reach the writer at
     * once.
     */
    boolean lowWatermark() {
        InputChannel at = channel;
        return at == null || at.blocks() <= FEW_BLOCKS;
    }

    DrainMeter meter() {
        return meter;
    }
}
