package petrichor.jobs.engine.memory;

/**
 * A stretch of whole records, back to back: what travels between tasks, lies in sort buffers and is
 * written to disk. Owned by one task at a time; handing it on hands on the ownership.
 */
public final class Block {
    /** In place of the number of records: the block holds the sizes of parts instead. */
    public static final int PART_SIZES = -2;

    /** What a block holds at most, unless a single record is larger. */
    public static final int BYTES = 128 << 10;

    public final byte[] array;

    /** Where the room of this block begins in the array. */
    public final int begin;

    /** Where the room ends. */
    public final int capacity;

    /** Where the records end. */
    public int end;

    public int records;

    Block(byte[] array, int begin, int capacity) {
        this.array = array;
        this.begin = begin;
        this.capacity = capacity;
        this.end = begin;
    }

    public int length() {
        return end - begin;
    }

    int room() {
        return capacity - end;
    }

    /** How much memory it takes, however full it is. */
    int bytes() {
        return capacity - begin;
    }

    Block empty() {
        end = begin;
        records = 0;
        return this;
    }
}
