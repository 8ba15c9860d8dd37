package petrichor.placement.advisor;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * Divides rows, in the order of their keys, among nodes that hold equally many, as stores that
 * split ranges do. Immutable.
 */
public final class EvenRanges {
    public static final int NODES_MAX = 10_000;

    private final List<byte[]> firsts;

    private EvenRanges(List<byte[]> firsts) {
        this.firsts = firsts;
    }

    /**
     * @param sorted keys of rows, ascending, all of them or a uniform sample
     */
    public static EvenRanges of(List<byte[]> sorted, int nodes) {
        if (nodes < 1 || nodes > NODES_MAX) {
            throw PetrichorException.invalid(
                    "rows are divided among 1 to {max} nodes, not {nodes}.",
                    "max",
                    NODES_MAX,
                    "nodes",
                    nodes);
        }
        List<byte[]> firsts = new ArrayList<>();
        for (int node = 1; node < nodes && !sorted.isEmpty(); node++) {
            firsts.add(sorted.get((int) ((long) node * sorted.size() / nodes)));
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
