package petrichor.placement.simulation;

import java.util.Arrays;

/** The nodes that one operation contacts, with the tuples wanted of each. Reused. */
final class NodeSet {
    private final int[] tuples;
    private final int[] members;
    private int size;

    NodeSet(int nodes) {
        tuples = new int[nodes];
        members = new int[nodes];
    }

    void clear() {
        for (int k = 0; k < size; k++) {
            tuples[members[k]] = 0;
        }
        size = 0;
    }

    void add(int node) {
        if (tuples[node]++ == 0) {
            members[size++] = node;
        }
    }

    int size() {
        return size;
    }

    int member(int k) {
        return members[k];
    }

    int tuples(int k) {
        return tuples[members[k]];
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(members, size));
    }
}
