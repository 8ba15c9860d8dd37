package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.FrameDecoder;
import petrichor.jobs.channels.InputGate;

/**
 * Receives the frames of an edge from another runtime, as bytes, and passes them to the gate of the
 * subtask. Belongs to the one thread that brings them in.
 */
public final class HostedInput {
    private final InputGate gate;
    private final BlockPool pool;
    private final Map<Long, Integer> slots = new HashMap<>();
    private final Map<Integer, FrameDecoder> channels = new HashMap<>();

    HostedInput(InputGate gate, BlockPool pool) {
        this.gate = gate;
        this.pool = pool;
    }

    /** Maps a sender to a slot of the gate. */
    void expect(int sender, int slot) {
        slots.put((long) sender, slot);
    }

    /** Whether the subtask has said "enough": further bytes are dropped. */
    public boolean isCancelled() {
        return gate.isCancelled();
    }

    /**
     * Consumes all of the bytes. Blocks while the subtask's gate is full; fails when the subtask
     * has been stopped.
     *
     * @param channel the runtime's number of the channel; its bytes come in order
     */
    public void take(int channel, ByteBuffer bytes) {
        channels.computeIfAbsent(
                        channel,
                        number -> new FrameDecoder(gate, this::slot, pool, "channel " + number))
                .take(bytes);
    }

    /** Ends this channel. UNAVAILABLE if its stream is incomplete. */
    public void end(int channel) {
        FrameDecoder stream = channels.get(channel);
        if (stream == null || !stream.hasEnded()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "a channel ended in the middle of a message");
        }
    }

    private int slot(long sender) {
        Integer slot = slots.get(sender);
        if (slot == null) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "subtask {sender} is not a sender of this edge",
                    "sender",
                    sender);
        }
        return slot;
    }
}
