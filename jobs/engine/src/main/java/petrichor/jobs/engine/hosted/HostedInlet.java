package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.PackedInput;
import petrichor.jobs.engine.exchange.InputGate;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.records.Words;

/**
 * Where what the senders of an edge have written arrives, as bytes: puts blocks together and hands
 * them to the gate of the subtask. Belongs to the one thread that carries them in.
 */
public final class HostedInlet {
    private final InputGate gate;
    private final BlockPool pool;
    private final Map<Integer, Integer> slots = new HashMap<>();
    private final Map<Integer, Arriving> channels = new HashMap<>();

    HostedInlet(InputGate gate, BlockPool pool) {
        this.gate = gate;
        this.pool = pool;
    }

    /** What this sender sends goes to this place of the gate. */
    void expect(int sender, int slot) {
        slots.put(sender, slot);
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
        Arriving arriving = channels.computeIfAbsent(channel, _ -> new Arriving());
        while (bytes.hasRemaining()) {
            arriving.take(bytes);
        }
    }

    /** Nothing more comes through this channel. UNAVAILABLE if there should have been more. */
    public void end(int channel) {
        Arriving arriving = channels.get(channel);
        if (arriving == null || !arriving.ended) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE, "a channel ended in the middle of a message");
        }
    }

    /**
     * Gives native memory back, when no thread works here any more. One that still carries in
     * fails.
     */
    void close() {
        channels.values().forEach(Arriving::close);
    }

    /** What has arrived through one channel of the block that is on its way. */
    private final class Arriving {
        private final byte[] head = new byte[HostedReceiver.HEAD_BYTES];
        private int headBytes;
        private @Nullable Block block;
        private int missing;
        private boolean ended;
        private boolean packed;
        private @Nullable PackedInput parts;

        private void take(ByteBuffer bytes) {
            Block open = block;
            if (open == null) {
                int some = Math.min(head.length - headBytes, bytes.remaining());
                bytes.get(head, headBytes, some);
                headBytes += some;
                if (headBytes == head.length) {
                    begin();
                }
                return;
            }
            if (packed) {
                unpack(bytes, open);
            } else {
                int some = Math.min(missing, bytes.remaining());
                bytes.get(open.array, open.end, some);
                open.end += some;
                missing -= some;
            }
            if (missing == 0) {
                block = null;
                headBytes = 0;
                gate.put(slot(), open);
            }
        }

        private void unpack(ByteBuffer bytes, Block open) {
            PackedInput input = parts;
            if (input == null) {
                input = new PackedInput("what subtask " + Words.int32(head, 0) + " sends");
                parts = input;
            }
            if (input.take(bytes)) {
                if (input.length() > missing) {
                    throw new PetrichorException(
                            ErrorCode.INTERNAL, "a block is longer than its header says");
                }
                System.arraycopy(input.bytes(), 0, open.array, open.end, input.length());
                open.end += input.length();
                missing -= input.length();
            }
        }

        private void close() {
            if (parts != null) {
                parts.close();
            }
        }

        private void begin() {
            int records = Words.int32(head, 4);
            if (records == HostedReceiver.END) {
                ended = true;
                gate.end(slot());
            } else {
                missing = Words.int32(head, 8);
                packed = Words.int32(head, 12) == HostedReceiver.PACKED;
                Block open = pool.take(missing);
                open.records = records;
                block = open;
            }
        }

        private int slot() {
            int sender = Words.int32(head, 0);
            Integer slot = slots.get(sender);
            if (slot == null) {
                throw new PetrichorException(
                        ErrorCode.INTERNAL, "subtask " + sender + " is not a sender of this edge");
            }
            return slot;
        }
    }
}
