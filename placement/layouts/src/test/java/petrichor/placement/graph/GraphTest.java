package petrichor.placement.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;

class GraphTest {
    @TempDir Path folder;

    @Test
    void dropsLoopsAndRepeatedEdges() {
        Graph graph = Graph.of(4, new int[] {2, 0, 0, 0, 3, 2}, new int[] {1, 3, 1, 3, 3, 0});
        assertThat(graph.edges()).isEqualTo(4);
        assertThat(graph.degree(0)).isEqualTo(2);
        assertThat(graph.target(0, 0)).isEqualTo(1);
        assertThat(graph.target(0, 1)).isEqualTo(3);
        assertThat(graph.degree(3)).isZero();
        assertThat(graph.undirected().degree(3)).isOne();
        assertThat(graph.undirected().edges()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 0.3, 0.6})
    void communitiesHaveTheWantedMixing(double mixing) {
        var generated = new Communities(10_000, mixing, 20, 20, 500, 7).generate();
        Graph graph = generated.graph();
        int[] community = generated.community();
        assertThat(graph.mixing(v -> community[v])).isCloseTo(mixing, within(0.06));
        assertThat((double) graph.edges() / graph.vertices()).isBetween(10.0, 25.0);
        assertThat(graph.modularity(v -> community[v], generated.communities()))
                .isCloseTo(1 - mixing, within(0.12));
        assertThat(new Communities(10_000, mixing, 20, 20, 500, 7).generate().graph().edges())
                .isEqualTo(graph.edges());
    }

    @Test
    void readsEdgeLists() throws IOException {
        Path file = folder.resolve("edges.txt");
        Files.writeString(file, "# from to\n10 20\n20\t30\n\n10,30\n");
        Graph graph = EdgeList.read(file);
        assertThat(graph.vertices()).isEqualTo(3);
        assertThat(graph.edges()).isEqualTo(3);
        assertThat(graph.degree(0)).isEqualTo(2);
        Files.writeString(file, "1 2\n1 2 3\n");
        assertThatThrownBy(() -> EdgeList.read(file))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("line 2 of ");
        assertThatThrownBy(() -> EdgeList.read(folder.resolve("none")))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("there is no such file");
    }

    @Test
    void undirectedGraphsHaveTheEdgesOfBothDirectionsOnce() {
        Graph graph = new Communities(300, 0.4, 6, 5, 30, 2).generate().graph();
        Graph undirected = graph.undirected();
        Graph reversed = graph.reversed();
        assertThat(reversed.edges()).isEqualTo(graph.edges());
        for (int vertex = 0; vertex < graph.vertices(); vertex++) {
            Set<Integer> near = new TreeSet<>(targets(graph, vertex));
            near.addAll(targets(reversed, vertex));
            assertThat(targets(undirected, vertex)).containsExactlyElementsOf(near);
            for (int follower : targets(reversed, vertex)) {
                assertThat(targets(graph, follower)).contains(vertex);
            }
        }
    }

    private static List<Integer> targets(Graph graph, int vertex) {
        return IntStream.range(0, graph.degree(vertex))
                .mapToObj(k -> graph.target(vertex, k))
                .toList();
    }
}
