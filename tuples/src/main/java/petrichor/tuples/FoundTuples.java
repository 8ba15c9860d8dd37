package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects a page. Confined to one thread. */
final class FoundTuples {
    private final PageSize size;
    private final List<Tuple> tuples = new ArrayList<>();
    private long bytes;
    private int rows;
    private byte @Nullable [] position;

    FoundTuples(PageSize size) {
        this.size = size;
    }

    /** A row was read, and everything before it. */
    void passed(byte[] row) {
        rows++;
        position = row;
    }

    void add(Tuple tuple) {
        tuples.add(tuple);
        bytes += tuple.bytes();
    }

    boolean isFull() {
        return tuples.size() >= size.tuples() || bytes >= size.bytes() || rows >= size.rows();
    }

    /** The page is the last one. */
    void end() {
        position = null;
    }

    /** How many tuples are missing. */
    int room() {
        return size.tuples() - tuples.size();
    }

    List<Tuple> tuples() {
        return tuples;
    }

    int rows() {
        return rows;
    }

    /** The last row of the page; null at the end of the result. */
    byte @Nullable [] position() {
        return position;
    }
}
