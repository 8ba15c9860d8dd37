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
 * Where the frames of an edge arrive through another runtime, as bytes, and go to the gate of the
 * subtask. Belongs to the one thread that carries them in.
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

    /** What this sender sends goes to this place of the gate. */
    void expect(int sender, int slot) {
        slots.put((long) sender, slot);
    }

    /** Whether the subtask has said "enough": what is carried in from now on is dropped. */
    public boolean hasEnough() {
        return gate.hasEnough();
    }

    /**
     * Takes all of the bytes. Waits while the subtask is busy with what came before; fails when it
     * has been stopped.
     *
     * @param channel by whatever number the runtime knows it; its bytes come in order
     */
    public void take(int channel, ByteBuffer bytes) {
        channels.computeIfAbsent(
                        channel,
                        number -> new FrameDecoder(gate, this::slot, pool, "channel " + number))
                .take(bytes);
    }

    /** Nothing more comes through this channel. UNAVAILABLE if there should have been more. */
    public void end(int channel) {
        FrameDecoder stream = channels.get(channel);
        if (stream == null || !stream.hasEnded()) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE, "a channel ended in the middle of a message");
        }
    }

    private int slot(long sender) {
        Integer slot = slots.get(sender);
        if (slot == null) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL, "subtask " + sender + " is not a sender of this edge");
        }
        return slot;
    }
}
