package petrichor.jobs.channels;

/**
 * Some bytes on their way: an array and how much of it counts. Whoever holds a block owns it; who
 * passes it to a {@link BlockWriter} has given it away and may no longer look at it, and who got it
 * from a {@link BlockReader} may change it, send it on, or {@link #release} it to the pool from
 * which it came.
 */
public final class Block {
    /** No block is larger: 128 KB, the size of the thesis' buffers. */
    public static final int BYTES_MAX = 128 << 10;

    private final byte[] bytes;
    private final BlockPool pool;
    private int length;

    Block(byte[] bytes, BlockPool pool) {
        this.bytes = bytes;
        this.pool = pool;
    }

    /** The array itself, {@link #BYTES_MAX} long. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many of the bytes count. */
    public int length() {
        return length;
    }

    public Block length(int bytes) {
        if (bytes < 0 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a block has 0 to " + BYTES_MAX + " bytes, not " + bytes);
        }
        length = bytes;
        return this;
    }

    /** The block is no longer needed; its array may be used again at once. */
    public void release() {
        pool.giveBack(bytes);
    }
}
