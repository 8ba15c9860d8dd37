package petrichor.placement.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Communities;
import petrichor.placement.graph.Graph;

class PartitionTest {
    private static final int VERTICES = 4_000;
    private static final int GROUPS = 16;

    private final Communities.Generated generated =
            new Communities(VERTICES, 0.1, 20, 20, 200, 3).generate();
    private final Graph graph = generated.graph().undirected();
    private final double[] weights =
            IntStream.range(0, VERTICES).mapToDouble(k -> 1 + k % 7).toArray();

    @Test
    void streamingKeepsCommunitiesTogetherAndGroupsBalanced() {
        int[] once = new Streaming(GROUPS, 1, 1.1).partition(graph, weights);
        int[] repeated = new Streaming(GROUPS, 5, 1.1).partition(graph, weights);
        double random = 1 - 1.0 / GROUPS;
        assertThat(graph.mixing(v -> repeated[v])).isLessThan(graph.mixing(v -> once[v]));
        assertThat(graph.mixing(v -> repeated[v])).isLessThan(random / 3);
        assertThat(imbalance(repeated, GROUPS)).isLessThanOrEqualTo(1.1 + 0.01);
    }

    @Test
    void equalRangesOfNumbersKeepCommunitiesTogetherForMoreAndFewerNodes() {
        int[] numbers = new NestedGroups(GROUPS, 8).numbers(graph, weights);
        assertThat(IntStream.of(numbers)).allMatch(number -> number >= 0 && number < 256);
        for (int nodes : new int[] {2, GROUPS / 2, GROUPS, 2 * GROUPS}) {
            int[] node = Arrays.stream(numbers).map(number -> (number * nodes) >> 8).toArray();
            assertThat(graph.mixing(v -> node[v])).isLessThan((1 - 1.0 / nodes) / 2.2);
            assertThat(imbalance(node, nodes)).isLessThan(1.25);
        }
    }

    @Test
    void eachNodeHasOneGroupAlsoIfNodesAreNoPowerOfTwo() {
        int[] numbers = new NestedGroups(10, 8).numbers(graph, weights);
        int[] node = Arrays.stream(numbers).map(number -> (number * 10) >> 8).toArray();
        int[] group = new Streaming(10, 6, 1.1).partition(graph, weights);
        int[] nodeOfGroup = new int[10];
        for (int k = 0; k < node.length; k++) {
            nodeOfGroup[group[k]] = node[k];
        }
        assertThat(node).isEqualTo(Arrays.stream(group).map(one -> nodeOfGroup[one]).toArray());
        long[] tuples = new long[256];
        for (int k = 0; k < numbers.length; k++) {
            tuples[numbers[k]] += (long) weights[k];
        }
        for (int nodes = 2; nodes < 40; nodes++) {
            assertBalanced(tuples, PrefixRanges.starts(tuples, nodes));
        }
    }

    @Test
    void neighboursInTheOrderOfNumbersAreRelated() {
        int[] numbers = new NestedGroups(GROUPS, 8).numbers(graph, weights);
        int[] halves = Arrays.stream(numbers).map(number -> number >>> 7).toArray();
        int[] groups = Arrays.stream(numbers).map(number -> number >>> 4).toArray();
        int[] alternating = Arrays.stream(groups).map(group -> group & 1).toArray();
        assertThat(graph.mixing(v -> halves[v]))
                .isLessThan(0.9 * graph.mixing(v -> alternating[v]));
    }

    @Test
    void rangesOfPrefixesSeparateNoGroupUnlessOneIsTooLarge() {
        long[] even = new long[32];
        Arrays.setAll(even, number -> 9 + number % 3);
        assertThat(PrefixRanges.starts(even, 4)).containsExactly(0, 79, 159, 240, 320 - 1);
        long[] heavy = even.clone();
        heavy[5] = 400; // more than a node should have
        assertBalanced(heavy, PrefixRanges.starts(heavy, 4));
        long[] single = new long[64];
        single[63] = 1_000;
        assertBalanced(single, PrefixRanges.starts(single, 7));
        assertThat(PrefixRanges.starts(new long[] {0, 3}, 5)).endsWith(3);
    }

    private static void assertBalanced(long[] tuples, long[] starts) {
        double mean = (double) Arrays.stream(tuples).sum() / (starts.length - 1);
        for (int node = 1; node < starts.length; node++) {
            assertThat(starts[node] - starts[node - 1])
                    .isBetween(0L, (long) Math.ceil(PrefixRanges.SLACK * mean));
        }
    }

    @Test
    void smallGraphsHaveFewerMembersThanGroups() {
        Graph pair = Graph.of(3, new int[] {0}, new int[] {2}).undirected();
        double[] equal = {1, 1, 1};
        int[] numbers = new NestedGroups(4, 4).numbers(pair, equal);
        assertThat(IntStream.of(numbers)).allMatch(number -> number >= 0 && number < 16);
        assertThat(new NestedGroups(16, 4).numbers(pair, equal)).hasSize(3);
        assertThat(new Streaming(8, 2, 1).partition(pair, equal)).hasSize(3);
        assertThatThrownBy(() -> new NestedGroups(17, 4)).isInstanceOf(PetrichorException.class);
    }

    private double imbalance(int[] group, int groups) {
        double[] load = new double[groups];
        for (int k = 0; k < group.length; k++) {
            load[group[k]] += weights[k];
        }
        double mean = Arrays.stream(load).sum() / groups;
        return Arrays.stream(load).max().orElseThrow() / mean;
    }
}
