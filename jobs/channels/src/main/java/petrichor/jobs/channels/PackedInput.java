package petrichor.jobs.channels;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.BlockDecompressor;
import petrichor.jobs.channels.compression.Level;

/**
 * Undoes {@link PackedOutput}: collects bytes, however they are cut, until a block is whole, checks
 * and decompresses it. For one thread; {@link #close} gives native memory back. A block that is not
 * what was sent fails as INTERNAL.
 */
public final class PackedInput implements AutoCloseable {
    private final String what;
    private final BlockDecompressor decompressor = new BlockDecompressor();
    private final byte[] head = new byte[BlockHeader.BYTES];
    private final byte[] stored = new byte[Block.BYTES_MAX];
    private final byte[] raw = new byte[Block.BYTES_MAX];
    private int headBytes;
    private int storedBytes;
    private @Nullable BlockHeader header;
    private int length;

    /**
     * @param what names the channel in failures
     */
    public PackedInput(String what) {
        this.what = what;
    }

    /**
     * Takes bytes up to the end of the block that is on its way, at most.
     *
     * @return whether it is whole now: then {@link #bytes} has it
     */
    public boolean take(ByteBuffer from) {
        BlockHeader known = header;
        if (known == null) {
            int some = Math.min(head.length - headBytes, from.remaining());
            from.get(head, headBytes, some);
            headBytes += some;
            if (headBytes < head.length) {
                return false;
            }
            known = BlockHeader.parse(head, 0, what);
            header = known;
            storedBytes = 0;
        }
        int some = Math.min(known.storedLength() - storedBytes, from.remaining());
        from.get(stored, storedBytes, some);
        storedBytes += some;
        if (storedBytes < known.storedLength()) {
            return false;
        }
        open(known);
        header = null;
        headBytes = 0;
        return true;
    }

    private void open(BlockHeader known) {
        known.check(head, 0, stored, 0, what);
        length = known.rawLength();
        if (known.level() == Level.NONE) {
            System.arraycopy(stored, 0, raw, 0, length);
        } else {
            decompressor.decompress(known.level(), stored, 0, known.storedLength(), raw, length);
        }
    }

    /** The newest block, from the beginning; good until the next call. */
    public byte[] bytes() {
        return raw;
    }

    /** How many of the bytes count. */
    public int length() {
        return length;
    }

    @Override
    public void close() {
        decompressor.close();
    }
}
