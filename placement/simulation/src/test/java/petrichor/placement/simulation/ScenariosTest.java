package petrichor.placement.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Communities;
import petrichor.placement.graph.Graph;

class ScenariosTest {
    private static final int NODES = 50;

    private static SocialData data() {
        Graph graph = new Communities(5_000, 0.2, 18, 20, 200, 1).generate().graph();
        return SocialData.of(graph, 10, 0.5, 1);
    }

    @Test
    void groupsThatAreAdaptedStayGoodWhileTheGraphDrifts() {
        List<Drift.Day> days = new Drift(0.1, 8).run(data(), NODES, 2_000, 1);
        assertThat(days).hasSize(9);
        Drift.Day first = days.getFirst();
        Drift.Day last = days.getLast();
        assertThat(first.stale()).isEqualTo(first.adapted()).isEqualTo(first.fresh());
        assertThat(last.stale()).isGreaterThan(1.2 * first.stale());
        assertThat(last.adapted()).isLessThan(last.stale());
        assertThat(last.adapted()).isLessThan(1.15 * last.fresh());
        assertThat(last.moved()).isBetween(0.001, 0.5);
        assertThat(new Drift(0, 2).run(data(), NODES, 500, 1).getLast().stale())
                .isCloseTo(first.stale(), within(0.2));
        assertThatThrownBy(() -> new Drift(2, 1)).isInstanceOf(PetrichorException.class);
    }

    @Test
    void nodesThatJoinTakeTheirShareAndNoMore() {
        for (Strategy strategy :
                List.of(Strategy.RANDOM, Strategy.ORDERED, Strategy.AFFINITY_PREFIX)) {
            List<Membership.State> states =
                    new Membership(10).run(strategy, data(), NODES, 2_000, 1);
            Membership.State joined = states.get(1);
            double share = 10.0 / 60;
            assertThat(joined.moved()).as(strategy.label()).isBetween(0.8 * share, 1.4 * share);
            assertThat(joined.imbalance()).as(strategy.label()).isLessThan(1.4);
            assertThat(states.get(2).moved()).isGreaterThan(joined.moved());
            assertThat(states.get(2).nodes()).isEqualTo(NODES);
        }
        assertThatThrownBy(() -> new Membership(1).run(Strategy.TAGGED, data(), NODES, 10, 1))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void replicasSaveNodesForReadsAndCostNodesForWrites() {
        SocialData data = data();
        Replication.Result one =
                new Replication(1, 1, 0).run(Strategy.RANDOM, data, NODES, 2_000, 1);
        Replication.Result three =
                new Replication(3, 1, 0).run(Strategy.RANDOM, data, NODES, 2_000, 1);
        Replication.Result quorum =
                new Replication(3, 2, 0).run(Strategy.RANDOM, data, NODES, 2_000, 1);
        Replication.Result hot =
                new Replication(1, 1, 0.01).run(Strategy.RANDOM, data, NODES, 2_000, 1);
        assertThat(three.timelineNodes()).isLessThan(one.timelineNodes());
        assertThat(quorum.timelineNodes()).isGreaterThan(one.timelineNodes());
        assertThat(three.writeNodes()).isEqualTo(3);
        assertThat(hot.timelineNodes()).isLessThan(one.timelineNodes());
        assertThat(hot.writeNodes()).isGreaterThan(1);
        assertThat(hot.requestImbalance()).isLessThanOrEqualTo(one.requestImbalance());
        assertThatThrownBy(() -> new Replication(3, 4, 0)).isInstanceOf(PetrichorException.class);
    }

    @Test
    void gossipReachesNearlyAllNodesWithEnoughFanout() {
        TwoLayers.Result wide = new TwoLayers(3, 8).run(500, 200, 1);
        TwoLayers.Result narrow = new TwoLayers(3, 1).run(500, 200, 1);
        assertThat(wide.reached()).isGreaterThan(0.99);
        assertThat(wide.stored()).isOne();
        assertThat(wide.writeMessages()).isCloseTo(8 * 500, within(80.0));
        // a random node is in the slice with a chance of 3 in 500, and answers
        assertThat(wide.missMessages()).isCloseTo(2 * 500 / 3.0, within(80.0));
        assertThat(narrow.stored()).isLessThan(0.3);
        assertThatThrownBy(() -> new TwoLayers(0, 1)).isInstanceOf(PetrichorException.class);
    }
}
