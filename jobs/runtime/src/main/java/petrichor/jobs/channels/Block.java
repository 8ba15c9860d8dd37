package petrichor.jobs.channels;

/**
 * The buffer of jobs: whole records, stored back to back. A block moves between tasks, fills sort
 * buffers and is spilled to disk. It is owned by one task or channel at a time; passing it on
 * transfers the ownership. The headroom in front of the records holds the headers with which the
 * block is sent or written to a file, so that neither needs a copy.
 */
public final class Block {
    /** Maximum number of a block's bytes in one frame. */
    public static final int FRAME_BYTES_MAX = 128 << 10;

    /**
     * Length of the longest block: one record of the maximum length. A block longer than a frame is
     * sent in parts.
     */
    public static final int BYTES_MAX = 16 << 20;

    /** Headroom of each block, for the headers of a frame and of a block. */
    static final int HEADROOM = Frame.HEADER_BYTES + BlockHeader.BYTES;

    /**
     * Replaces the record count: the block holds a {@link BlockHeader} and stored bytes, as
     * received.
     */
    static final int PACKED = Integer.MIN_VALUE;

    public final byte[] array;

    /** Offset of the first record. */
    public int begin;

    /** Offset at which the buffer ends. */
    public final int capacity;

    /** Offset at which the records end. */
    public int end;

    public int records;

    /** Whether the block is in use. Guarded by its pool. */
    boolean lent;

    private final int start;

    Block(byte[] array, int start, int capacity) {
        this.array = array;
        this.start = start;
        this.capacity = capacity;
        this.begin = start;
        this.end = start;
    }

    public int length() {
        return end - begin;
    }

    /** Bytes that can still be added. */
    public int free() {
        return capacity - end;
    }

    /** Memory footprint, regardless of how full the block is. */
    public int bytes() {
        return capacity - start;
    }

    Block empty() {
        begin = start;
        end = start;
        records = 0;
        return this;
    }

    /** Whether it holds a header and stored bytes, which the receiver has to decode. */
    public boolean isPacked() {
        return records == PACKED;
    }

    /**
     * Prepares the block for a header and {@code storedBytes} bytes, which start where records
     * would.
     */
    Block pack(int storedBytes) {
        begin = start - BlockHeader.BYTES;
        end = start + storedBytes;
        records = PACKED;
        return this;
    }

    /** Makes the stored bytes the records, in place: for a block that was not compressed. */
    Block unpack(int count) {
        begin += BlockHeader.BYTES;
        records = count;
        return this;
    }
}
