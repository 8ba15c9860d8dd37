package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.apps.scaling.InstancePlacement.Candidate;
import petrichor.apps.scaling.InstancePlacement.Instances;
import petrichor.base.PetrichorException;

class InstancePlacementTest {
    private static final int SEEDS = 2_000;
    private static final long MEBIBYTE = 1L << 20;
    private static final Instances ONE = new Instances("demo/default/v1", 1, 256 * MEBIBYTE);

    private static Candidate idle(String server) {
        return new Candidate(server, 8192 * MEBIBYTE, 0, 0, 0, false);
    }

    private static Candidate with(String server, int ready, int starting) {
        return new Candidate(server, 8192 * MEBIBYTE, 0, ready, starting, false);
    }

    private static Map<String, Integer> assign(int wanted, Candidate... candidates) {
        return InstancePlacement.assign(
                new Instances("demo/default/v1", wanted, 256 * MEBIBYTE),
                List.of(candidates),
                false);
    }

    private static int sum(Map<String, Integer> shares) {
        return shares.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void equalServersGetEqualShares() {
        assertThat(assign(6, idle("a"), idle("b"), idle("c")))
                .containsEntry("a", 2)
                .containsEntry("b", 2)
                .containsEntry("c", 2);
    }

    @Test
    void aServerWithMoreMemoryGetsMore() {
        Candidate large = new Candidate("large", 32_768 * MEBIBYTE, 0, 0, 0, false);
        assertThat(assign(5, large, idle("small")))
                .containsEntry("large", 4)
                .containsEntry("small", 1);
    }

    @Test
    void aBusyServerGetsLess() {
        Candidate busy = new Candidate("busy", 8192 * MEBIBYTE, 0.9, 0, 0, false);
        assertThat(assign(2, busy, idle("idle"))).containsEntry("idle", 2).containsEntry("busy", 0);
    }

    @Test
    void aServerWithoutMemoryGetsNoneWhileAnotherHasSome() {
        Candidate full = new Candidate("full", 100 * MEBIBYTE, 0, 0, 0, false);
        Candidate enough = new Candidate("enough", 300 * MEBIBYTE, 0.99, 0, 0, false);
        assertThat(assign(1, full, enough)).containsEntry("enough", 1);
    }

    @Test
    void aServerWhereInstancesFailGetsNone() {
        Candidate failing = new Candidate("failing", 65_536 * MEBIBYTE, 0, 0, 1, true);
        assertThat(assign(2, failing, idle("other"))).containsEntry("other", 1);
        assertThat(InstancePlacement.first(ONE, List.of(failing, idle("other")))).contains("other");
    }

    @Test
    void theShareOfALostServerMoves() {
        Map<String, Integer> before = assign(3, idle("a"), idle("b"), idle("c"));
        assertThat(before.values()).containsOnly(1);
        assertThat(assign(3, with("a", 1, 0), with("b", 1, 0))).isEqualTo(sharesOf(2, 1));
    }

    private static Map<String, Integer> sharesOf(int one, int other) {
        Map<String, Integer> shares = assign(3, idle("a"), idle("b"));
        return shares.getOrDefault("a", 0) == one
                ? Map.of("a", one, "b", other)
                : Map.of("a", other, "b", one);
    }

    @Test
    void noReadyInstanceStopsWhileItsReplacementStarts() {
        assertThat(assign(1, with("a", 1, 0), with("b", 0, 1)))
                .containsEntry("a", 1)
                .containsEntry("b", 1);
        assertThat(sum(assign(1, with("a", 1, 0), with("b", 1, 0)))).isEqualTo(1);
    }

    @Test
    void anInstanceMovesToAMuchBetterServerOnly() {
        Candidate loaded = new Candidate("loaded", 1024 * MEBIBYTE, 0.9, 2, 0, false);
        List<Candidate> servers = List.of(loaded, idle("free"));
        Instances two = new Instances("demo/default/v1", 2, 256 * MEBIBYTE);
        assertThat(InstancePlacement.assign(two, servers, false)).containsEntry("free", 0);
        assertThat(InstancePlacement.assign(two, servers, true))
                .containsEntry("free", 1)
                .containsEntry("loaded", 2);
        List<Candidate> alike = List.of(with("a", 1, 0), with("b", 1, 0), idle("c"));
        assertThat(sum(InstancePlacement.assign(two, alike, true))).isEqualTo(2);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new Candidate("a", -1, 0, 0, 0, false))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new Candidate("a", 1, 1.5, 0, 0, false))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new Instances("v", -1, 1)).isInstanceOf(PetrichorException.class);
        assertThat(InstancePlacement.assign(ONE, List.of(), true)).isEmpty();
        assertThat(InstancePlacement.first(ONE, List.of())).isEmpty();
    }

    private static List<Candidate> random(Random random) {
        List<Candidate> all = new ArrayList<>();
        int servers = 1 + random.nextInt(7);
        for (int i = 0; i < servers; i++) {
            all.add(
                    new Candidate(
                            "server-" + i,
                            random.nextLong(16_384) * MEBIBYTE,
                            random.nextDouble(),
                            random.nextInt(4),
                            random.nextInt(10) == 0 ? 1 : 0,
                            random.nextInt(10) == 0));
        }
        return all;
    }

    @Test
    void sharesAreTheWantedNumberForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<Candidate> servers = random(random);
            int wanted = random.nextInt(12);
            Instances instances = new Instances("v" + seed, wanted, 256 * MEBIBYTE);
            Map<String, Integer> shares = InstancePlacement.assign(instances, servers, false);
            int ready = servers.stream().mapToInt(Candidate::ready).sum();
            int starting = servers.stream().mapToInt(Candidate::starting).sum();
            assertThat(sum(shares))
                    .as("seed %d", seed)
                    .isBetween(wanted, Math.max(wanted, Math.min(ready, wanted) + starting));
            assertThat(shares.values()).as("seed %d", seed).allMatch(count -> count >= 0);
            Collections.shuffle(servers, random);
            assertThat(InstancePlacement.assign(instances, servers, false))
                    .as("seed %d, in another order", seed)
                    .isEqualTo(shares);
        }
    }

    /** Obeys shares: starts take one round. */
    private static List<Candidate> obeyed(List<Candidate> servers, Map<String, Integer> shares) {
        List<Candidate> next = new ArrayList<>();
        for (Candidate each : servers) {
            int share = shares.getOrDefault(each.server(), 0);
            int ready = Math.min(each.instances(), share);
            next.add(
                    new Candidate(
                            each.server(),
                            each.freeMemoryBytes(),
                            each.load(),
                            ready,
                            share - ready,
                            each.failing()));
        }
        return next;
    }

    @Test
    void instancesDoNotFlapForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<Candidate> servers = random(random);
            int wanted = random.nextInt(12);
            Instances instances = new Instances("v" + seed, wanted, 256 * MEBIBYTE);
            for (int round = 0; round < 40; round++) {
                servers = obeyed(servers, InstancePlacement.assign(instances, servers, round < 30));
                int total = servers.stream().mapToInt(Candidate::instances).sum();
                if (round > 1) {
                    assertThat(total).as("seed %d", seed).isBetween(wanted, wanted + 1);
                }
            }
            Map<String, Integer> settled = InstancePlacement.assign(instances, servers, true);
            assertThat(obeyed(servers, settled))
                    .as("seed %d moves for ever", seed)
                    .isEqualTo(servers);
        }
    }

    @Test
    void onlyTheShareOfALostServerMovesForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<Candidate> servers = random(random);
            int wanted = random.nextInt(12);
            Instances instances = new Instances("v" + seed, wanted, 256 * MEBIBYTE);
            for (int round = 0; round < 3; round++) {
                servers = obeyed(servers, InstancePlacement.assign(instances, servers, false));
            }
            Map<String, Integer> before = new TreeMap<>();
            servers.forEach(each -> before.put(each.server(), each.instances()));
            List<Candidate> left = new ArrayList<>(servers);
            Candidate lost = left.remove(random.nextInt(left.size()));
            Map<String, Integer> after = InstancePlacement.assign(instances, left, false);
            for (Candidate each : left) {
                assertThat(after.getOrDefault(each.server(), 0))
                        .as("seed %d: %s loses nothing", seed, each.server())
                        .isGreaterThanOrEqualTo(before.getOrDefault(each.server(), 0));
            }
            assertThat(after).doesNotContainKey(lost.server());
            assertThat(sum(after)).as("seed %d", seed).isEqualTo(left.isEmpty() ? 0 : wanted);
        }
    }

    @Test
    void versionsHaveDifferentFirstServersAndLeads() {
        List<Candidate> servers = List.of(idle("a"), idle("b"), idle("c"));
        Map<String, Integer> first = new HashMap<>();
        Set<String> leads = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            first.merge(
                    InstancePlacement.first(new Instances("app-" + i, 1, MEBIBYTE), servers)
                            .orElseThrow(),
                    1,
                    Integer::sum);
            leads.add(InstancePlacement.lead("app-" + i, List.of("a", "b", "c")).orElseThrow());
        }
        assertThat(first.values()).allMatch(count -> count > 50);
        assertThat(leads).containsExactlyInAnyOrder("a", "b", "c");
    }
}
