package petrichor.server.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.metrics.Readings;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.databases.NamedStores;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;
import petrichor.tuples.TuplePlacement;
import petrichor.tuples.TupleRanges;
import petrichor.tuples.TupleStore;
import petrichor.tuples.TupleWrite;

final class RingReadingsTest {
    @Test
    void movesAndMembersAreCounted() {
        try (MemoryStore home = MemoryStore.open();
                NamedStores members =
                        new NamedStores(Map.of("a", MemoryStore::open, "b", MemoryStore::open));
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(home),
                                members,
                                TransactionLimits.DEFAULT,
                                TransactionMemory.unlimited())) {
            RowDatabase database = databases.open("p");
            TupleStore tuples = new TupleStore(database, new Random(1));
            var _ = tuples.create("c", new TuplePlacement.Ordered(), true);
            List<TupleWrite> writes = new ArrayList<>();
            for (int k = 0; k < 100; k++) {
                writes.add(
                        new TupleWrite.Put(
                                "c",
                                "k" + k,
                                "v".getBytes(UTF_8),
                                Collections.emptySortedSet(),
                                TupleWrite.Condition.NONE));
            }
            var _ = tuples.write(writes, true);
            assertThat(values(databases)).containsEntry("petrichor_rings{}", 0.0);

            database.ring().create(List.of("a", "b"));
            database.ring().cover(TupleRanges.all());
            Wait.until(
                    "the ring is settled",
                    Duration.ofMinutes(1),
                    () -> {
                        database.ring().tidy();
                        return database.ring().status().orElseThrow().settled();
                    });
            Map<String, Double> values = values(databases);
            assertThat(values)
                    .containsEntry("petrichor_rings{}", 1.0)
                    .containsEntry("petrichor_ring_members{}", 2.0)
                    .containsEntry("petrichor_ring_moves_running{}", 0.0)
                    .containsEntry("petrichor_ring_moves_planned{}", 0.0)
                    .containsEntry("petrichor_ring_former_ranges{}", 0.0)
                    .containsEntry("petrichor_ring_problems{}", 0.0)
                    .containsEntry("petrichor_ring_moves_abandoned{}", 0.0);
            assertThat(values.get("petrichor_ring_moved_rows{}")).isBetween(100.0, 200.0);
            assertThat(values.get("petrichor_ring_moved_bytes{}")).isGreaterThan(100.0);
            assertThat(values).containsKeys("petrichor_ring_ranges{store=\"a\"}");
        }
    }

    private static Map<String, Double> values(RowDatabases databases) {
        Readings readings = new Readings();
        RingReadings.add(readings, databases.openDatabases());
        Map<String, Double> values = new TreeMap<>();
        for (MetricSnapshot metric : readings.snapshots()) {
            String name = metric.getMetadata().getName();
            switch (metric) {
                case GaugeSnapshot gauge ->
                        gauge.getDataPoints()
                                .forEach(
                                        point ->
                                                values.put(
                                                        name + point.getLabels(),
                                                        point.getValue()));
                case CounterSnapshot counter ->
                        counter.getDataPoints()
                                .forEach(
                                        point ->
                                                values.put(
                                                        name + point.getLabels(),
                                                        point.getValue()));
                default -> throw new AssertionError(name);
            }
        }
        return values;
    }
}
