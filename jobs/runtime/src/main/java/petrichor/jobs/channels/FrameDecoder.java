package petrichor.jobs.channels;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Feeds a gate from a stream of frames that another runtime transports: collects bytes, in pieces
 * of any size, until a block is complete, and passes it to the gate still compressed. Blocks while
 * the gate is full (back-pressure). For one thread.
 */
public final class FrameDecoder {
    private final InputGate gate;
    private final LongToIntFunction slots;
    private final BlockPool pool;
    private final String what;
    private final byte[] head = new byte[Frame.HEADER_BYTES + Long.BYTES];
    private int headBytes;
    private @Nullable Block block;
    private int missing;
    private long blocks;
    private boolean ended;

    /**
     * @param slots maps a frame's channel to its slot at the gate; fails for an unknown channel
     * @param what names the stream in failures
     */
    public FrameDecoder(InputGate gate, LongToIntFunction slots, BlockPool pool, String what) {
        this.gate = gate;
        this.slots = slots;
        this.pool = pool;
        this.what = what;
    }

    /** Encodes the last frame of a stream, after {@code blocks} frames with blocks. */
    public static ByteBuffer end(long channel, long blocks) {
        return ByteBuffer.wrap(Frame.end(channel, blocks));
    }

    /** Consumes all of the bytes. */
    public void take(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            Block open = block;
            if (open == null) {
                head(bytes);
                continue;
            }
            int some = Math.min(missing, bytes.remaining());
            bytes.get(open.array, open.end - missing, some);
            missing -= some;
            if (missing == 0) {
                block = null;
                headBytes = 0;
                gate.put(slot(), open);
            }
        }
    }

    /** Whether the sender has ended the stream. */
    public boolean hasEnded() {
        return ended;
    }

    private void head(ByteBuffer bytes) {
        if (ended) {
            throw BlockHeader.broken(what, "data follows its end");
        }
        int some = Math.min(wanted() - headBytes, bytes.remaining());
        bytes.get(head, headBytes, some);
        headBytes += some;
        if (headBytes == wanted()) {
            begin();
        }
    }

    /** Number of header bytes before the content of a block. */
    private int wanted() {
        if (headBytes < Frame.HEADER_BYTES) {
            return Frame.HEADER_BYTES;
        }
        Frame frame = Frame.parse(head, what);
        return switch (frame.type()) {
            case BLOCK -> Frame.HEADER_BYTES;
            case END -> Frame.HEADER_BYTES + frame.length();
            case OPEN, FAIL, CREDIT, ENOUGH, PING ->
                    throw BlockHeader.broken(what, "it has a message " + frame.type());
        };
    }

    private void begin() {
        Frame frame = Frame.parse(head, what);
        if (frame.type() == Frame.Type.END) {
            long sent = Frame.blocks(Arrays.copyOfRange(head, Frame.HEADER_BYTES, headBytes));
            if (sent != blocks) {
                throw BlockHeader.broken(
                        what, "it had " + sent + " blocks, of which " + blocks + " arrived");
            }
            ended = true;
            gate.end(slot());
            return;
        }
        slot();
        block = pool.takePacked(frame.length());
        missing = frame.length();
        blocks++;
    }

    private int slot() {
        return slots.applyAsInt(Frame.parse(head, what).channel());
    }
}
