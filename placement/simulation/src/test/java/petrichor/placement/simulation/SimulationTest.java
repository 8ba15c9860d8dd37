package petrichor.placement.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Communities;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.Streaming;

class SimulationTest {
    private static final Timing TIMING = new Timing(1, 2, 0.05, 0.01, 2_000);

    /** Friends timelines with mixing 0.3 and 100 nodes, as another simulator found them. */
    private static final Map<Strategy, Double> KNOWN =
            Map.of(
                    Strategy.RANDOM, 19.0,
                    Strategy.ORDERED, 9.2,
                    Strategy.TAGGED, 13.7,
                    Strategy.TAGGED_FRIENDS, 8.9,
                    Strategy.AFFINITY_GROUPS, 4.9,
                    Strategy.MINHASH, 8.2);

    private static SocialData data(double mixing) {
        Graph graph = new Communities(10_000, mixing, 18, 20, 300, 1).generate().graph();
        return SocialData.of(graph, 20, 0.5, 1);
    }

    @Test
    void agreesWithAnotherSimulator() {
        Simulation simulation = new Simulation(data(0.3), 100, 20_000, TIMING, 1);
        KNOWN.forEach(
                (strategy, known) ->
                        assertThat(friends(simulation.run(strategy, Indexing.NONE)))
                                .as(strategy.label())
                                .isCloseTo(known, within(0.1 * known)));
    }

    @Test
    void rangesOfPrefixesContactNoMoreNodesThanGroups() {
        Simulation simulation = new Simulation(data(0.3), 100, 20_000, TIMING, 1);
        Outcome prefixes = simulation.run(Strategy.AFFINITY_PREFIX, Indexing.NONE);
        assertThat(friends(prefixes))
                .isLessThan(1.02 * friends(simulation.run(Strategy.AFFINITY_GROUPS, Indexing.NONE)))
                .isLessThan(4.7);
        assertThat(prefixes.tupleImbalance()).isLessThan(1.13);
    }

    @Test
    void aHeavyAuthorDoesNotUnbalanceRangesOfPrefixes() {
        Simulation simulation = new Simulation(data(0.3), 1_000, 1_000, TIMING, 1);
        assertThat(simulation.run(Strategy.AFFINITY_GROUPS, Indexing.NONE).tupleImbalance())
                .isGreaterThan(3);
        assertThat(simulation.run(Strategy.AFFINITY_PREFIX, Indexing.NONE).tupleImbalance())
                .isLessThan(1.13);
    }

    @Test
    void affinityGainsNothingWithoutCommunities() {
        Simulation with = new Simulation(data(0.1), 100, 10_000, TIMING, 1);
        Simulation without = new Simulation(data(1), 100, 10_000, TIMING, 1);
        assertThat(friends(with.run(Strategy.AFFINITY_GROUPS, Indexing.NONE)))
                .isLessThan(0.4 * friends(with.run(Strategy.ORDERED, Indexing.NONE)));
        assertThat(friends(without.run(Strategy.AFFINITY_GROUPS, Indexing.NONE)))
                .isGreaterThan(0.85 * friends(without.run(Strategy.ORDERED, Indexing.NONE)));
    }

    @Test
    void indexesAndTimelinesReplaceReadsByWrites() {
        Simulation simulation = new Simulation(data(0.3), 100, 10_000, TIMING, 1);
        Outcome[] random =
                Arrays.stream(Indexing.values())
                        .map(indexing -> simulation.run(Strategy.RANDOM, indexing))
                        .toArray(Outcome[]::new);
        assertThat(nodes(random[0], Operation.MENTIONS)).isEqualTo(100);
        assertThat(nodes(random[1], Operation.MENTIONS)).isOne();
        assertThat(friends(random[2])).isOne();
        assertThat(nodes(random[2], Operation.UPDATE)).isGreaterThan(10);
        assertThat(random[0].nodesMean()).isGreaterThan(random[1].nodesMean());
        assertThat(random[1].nodesMean()).isGreaterThan(random[2].nodesMean());
        Outcome tagged = simulation.run(Strategy.TAGGED, Indexing.NONE);
        assertThat(nodes(tagged, Operation.MENTIONS)).isBetween(5.0, 25.0);
    }

    @Test
    void aReadByTagAsksEveryNodeThatHasTheTag() {
        SocialData data = data(0.3);
        Layout layout = Layout.of(Strategy.TAGGED, data, 100, 1);
        for (int tweet = 0; tweet < data.tweets(); tweet++) {
            if (data.mention(tweet) != SocialData.NONE) {
                int slab = Layout.slab(1, Layout.bucket(data.mention(tweet)));
                assertThat(layout.nodesAsked(slab)).contains(layout.ofTweet(tweet));
            }
        }
    }

    @Test
    void rangesAreBalanced() {
        SocialData data = data(0.3);
        for (Strategy strategy : Set.of(Strategy.ORDERED, Strategy.TAGGED)) {
            Layout layout = Layout.of(strategy, data, 100, 1);
            int[] tuples = new int[100];
            IntStream.range(0, data.tweets()).forEach(tweet -> tuples[layout.ofTweet(tweet)]++);
            assertThat(Arrays.stream(tuples).max().orElseThrow()).isLessThanOrEqualTo(2_000);
        }
    }

    @Test
    void timelinesHoldTheNewestTweetsOfAllFollowees() {
        SocialData data = data(0.3);
        Reads reads = new Reads(data);
        for (int user = 0; user < 50; user++) {
            Set<Integer> followees = new HashSet<>();
            for (int k = 0; k < data.follows().degree(user); k++) {
                followees.add(data.follows().target(user, k));
            }
            int[] expected =
                    IntStream.range(0, data.tweets())
                            .filter(tweet -> followees.contains(data.author(tweet)))
                            .toArray();
            int from = Math.max(0, expected.length - Reads.NEWEST);
            int[] timeline = new int[Reads.NEWEST + 1];
            int count = reads.byFriends(user, timeline, 1);
            assertThat(Arrays.copyOfRange(timeline, 1, 1 + count))
                    .containsExactly(Arrays.copyOfRange(expected, from, expected.length));
        }
    }

    @Test
    void requestsWaitForEarlierOnes() {
        SocialData data = data(0.3);
        Timing idle = new Timing(1, 1, 0.5, 0, 1);
        assertThat(latency(data, idle)).isCloseTo(2.5, within(0.01));
        Timing quick = new Timing(1, 1, 0.5, 0, 1_000);
        Timing busy = new Timing(1, 1, 0.5, 0, 25_000);
        assertThat(latency(data, quick)).isBetween(2.5, 3.5);
        assertThat(latency(data, busy)).isGreaterThan(2 * latency(data, quick));
    }

    private static double latency(SocialData data, Timing timing) {
        Outcome outcome =
                new Simulation(data, 100, 20_000, timing, 1).run(Strategy.RANDOM, Indexing.INDEXES);
        return outcome.latencyMillisMean();
    }

    @Test
    void severalStrategiesAtOnceHaveTheOutcomesOfEach() {
        Simulation simulation = new Simulation(data(0.3), 50, 15_000, TIMING, 1);
        Map<Strategy, Map<Indexing, Outcome>> together = simulation.run(Strategy.OWN);
        for (Strategy strategy : Strategy.OWN) {
            assertThat(together.get(strategy)).isEqualTo(simulation.run(strategy));
        }
    }

    @Test
    void groupsOfAnotherPartitionerAreSimulated() {
        SocialData data = data(0.3);
        Simulation simulation = new Simulation(data, 100, 10_000, TIMING, 1);
        int[] groups = new Streaming(100, 3, 1.1).partition(data.undirected(), data.weights());
        assertThat(friends(Objects.requireNonNull(simulation.ofMetis(groups).get(Indexing.NONE))))
                .isEqualTo(friends(simulation.run(Strategy.AFFINITY_GROUPS, Indexing.NONE)));
        groups[0] = 100;
        assertThatThrownBy(() -> simulation.ofMetis(groups)).isInstanceOf(PetrichorException.class);
    }

    @Test
    void rejectsImpossibleSizes() {
        SocialData data = data(0.3);
        assertThatThrownBy(() -> Layout.of(Strategy.RANDOM, data, 1, 1))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new Timing(2, 1, 0, 0, 1)).isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> SocialData.of(data.follows(), 0, 0, 1))
                .isInstanceOf(PetrichorException.class);
    }

    private static double friends(Outcome outcome) {
        return nodes(outcome, Operation.FRIENDS_TIMELINE);
    }

    private static double nodes(Outcome outcome, Operation operation) {
        Outcome.Cost cost = outcome.costs().get(operation);
        return cost == null ? Double.NaN : cost.nodesMean();
    }
}
