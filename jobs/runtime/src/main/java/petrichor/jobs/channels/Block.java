package petrichor.jobs.channels;

/**
 * The buffer of jobs: a stretch of whole records, back to back. It travels between tasks, lies in
 * sort buffers and is written to disk. Owned by one task or channel at a time; passing it on passes
 * the ownership. The room in front of the records holds the header with which the block goes over a
 * wire or into a file, so that sending it needs no copy.
 */
public final class Block {
    /** The most that one frame carries of a block. */
    public static final int FRAME_BYTES_MAX = 128 << 10;

    /**
     * The longest block: one record of the maximum length. Longer than a frame, it goes in parts.
     */
    public static final int BYTES_MAX = 16 << 20;

    /** Room in front of each block, for the headers of a frame and of a block. */
    static final int HEADROOM = Frame.HEADER_BYTES + BlockHeader.BYTES;

    /** In place of the number of records: a {@link BlockHeader} and stored bytes, as received. */
    static final int PACKED = Integer.MIN_VALUE;

    public final byte[] array;

    /** Where the records begin. */
    public int begin;

    /** Where the room ends. */
    public final int capacity;

    /** Where the records end. */
    public int end;

    public int records;

    /** Whether somebody uses it. Guarded by its pool. */
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

    public int room() {
        return capacity - end;
    }

    /** How much memory it takes, however full it is. */
    public int bytes() {
        return capacity - start;
    }

    Block empty() {
        begin = start;
        end = start;
        records = 0;
        return this;
    }

    /** Whether it holds a header and stored bytes, to be opened by its receiver. */
    public boolean isPacked() {
        return records == PACKED;
    }

    /** Makes room for a header and so many stored bytes, which begin where records would. */
    Block pack(int storedBytes) {
        begin = start - BlockHeader.BYTES;
        end = start + storedBytes;
        records = PACKED;
        return this;
    }

    /** The stored bytes are the records: nothing has to be copied. */
    Block unpack(int count) {
        begin += BlockHeader.BYTES;
        records = count;
        return this;
    }
}
