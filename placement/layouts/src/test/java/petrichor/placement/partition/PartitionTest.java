package petrichor.placement.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
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
    void leavesOfABisectionKeepCommunitiesTogetherAtEachDepth() {
        int[] leaves = new Bisection(8).leaves(graph, weights);
        int[] groups = Arrays.stream(leaves).map(leaf -> leaf >>> 4).toArray();
        assertThat(graph.mixing(v -> groups[v])).isLessThan((1 - 1.0 / GROUPS) / 3);
        assertThat(graph.mixing(v -> leaves[v] >>> 7)).isLessThan(0.2);
        assertThat(imbalance(groups, GROUPS)).isLessThan(1.25);
        assertThat(IntStream.of(leaves)).allMatch(leaf -> leaf >= 0 && leaf < 256);
    }

    @Test
    void smallGraphsHaveFewerMembersThanLeaves() {
        Graph pair = Graph.of(3, new int[] {0}, new int[] {2}).undirected();
        int[] leaves = new Bisection(4).leaves(pair, new double[] {1, 1, 1});
        assertThat(Arrays.stream(leaves).distinct().count()).isEqualTo(3);
        assertThat(new Streaming(8, 2, 1).partition(pair, new double[] {1, 1, 1})).hasSize(3);
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
