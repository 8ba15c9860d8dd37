package petrichor.placement.advisor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * Divides rows, in the order of their keys, among nodes that hold equally many bytes, as stores
 * that split ranges and rings do. Immutable.
 */
public final class EvenRanges {
    public static final int NODES_MAX = 10_000;

    private final List<byte[]> firsts;

    private EvenRanges(List<byte[]> firsts) {
        this.firsts = firsts;
    }

    /**
     * @param sorted keys of rows, ascending, all of them or a uniform sample
     * @param bytes of each of these rows
     */
    public static EvenRanges of(List<byte[]> sorted, long[] bytes, int nodes) {
        if (nodes < 1 || nodes > NODES_MAX) {
            throw PetrichorException.invalid(
                    "rows are divided among 1 to {max} nodes, not {nodes}.",
                    "max",
                    NODES_MAX,
                    "nodes",
                    nodes);
        }
        double total = Arrays.stream(bytes).sum();
        List<byte[]> firsts = new ArrayList<>();
        long before = 0;
        for (int row = 0; row < bytes.length; row++) {
            while (firsts.size() + 1 < nodes && before >= total * (firsts.size() + 1) / nodes) {
                firsts.add(sorted.get(row));
            }
            before += bytes[row];
        }
        return new EvenRanges(firsts);
    }

    /** The node of a row. */
    public int node(byte[] key) {
        int low = 0;
        int high = firsts.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Bytes.compare(firsts.get(middle), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Numbers of nodes are below this one. */
    public int nodes() {
        return firsts.size() + 1;
    }
}
