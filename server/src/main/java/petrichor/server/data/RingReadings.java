package petrichor.server.data;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import petrichor.server.metrics.Readings;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.ring.RingStatus;

/** Metrics of the rings of all open databases; by store, of which a configuration names few. */
final class RingReadings {
    private RingReadings() {}

    static void add(Readings readings, List<RowDatabase> open) {
        List<RingStatus> rings =
                open.stream()
                        .map(database -> database.ring().status())
                        .flatMap(Optional::stream)
                        .toList();
        Set<String> members = new HashSet<>();
        rings.forEach(ring -> ring.members().forEach(member -> members.add(member.store())));
        readings.gauge("petrichor_rings", "Open databases with a ring.", rings.size());
        readings.gauge("petrichor_ring_members", "Stores that are in a ring.", members.size());
        readings.gauges(
                "petrichor_ring_ranges",
                "Ranges of keys that members of rings have.",
                byStore(rings, RingStatus.Member::ranges));
        readings.counters(
                "petrichor_ring_reads_total",
                "Rows and scans requested from members of rings.",
                byStore(rings, RingStatus.Member::reads));
        readings.counters(
                "petrichor_ring_writes_total",
                "Rows written to members of rings.",
                byStore(rings, RingStatus.Member::writes));
        readings.gauge(
                "petrichor_ring_moves_running",
                "Ranges that are being moved.",
                sum(rings, ring -> ring.move().isPresent() ? 1 : 0));
        readings.gauge(
                "petrichor_ring_moves_planned",
                "Ranges that wait to be moved.",
                sum(rings, RingStatus::planned));
        readings.gauge(
                "petrichor_ring_former_ranges",
                "Ranges to be deleted in the stores that had them.",
                sum(rings, RingStatus::formerRanges));
        readings.gauge(
                "petrichor_ring_problems",
                "Rings whose last unit of work failed, or whose moves were abandoned.",
                sum(rings, ring -> ring.problem().isPresent() ? 1 : 0));
        counter(readings, "moves", "Ranges that were moved.", rings, RingStatus.Moved::ranges);
        counter(
                readings,
                "moved_rows",
                "Rows that were moved, history included.",
                rings,
                RingStatus.Moved::rows);
        counter(
                readings,
                "moved_bytes",
                "Keys and values that were moved, history included.",
                rings,
                RingStatus.Moved::bytes);
        counter(
                readings,
                "moves_abandoned",
                "Moves that were abandoned because copies differed.",
                rings,
                RingStatus.Moved::abandoned);
    }

    private static void counter(
            Readings readings,
            String name,
            String help,
            List<RingStatus> rings,
            ToLongFunction<RingStatus.Moved> metric) {
        readings.counter(
                "petrichor_ring_" + name + "_total",
                help,
                sum(rings, ring -> metric.applyAsLong(ring.moved())));
    }

    private static long sum(List<RingStatus> rings, ToLongFunction<RingStatus> metric) {
        return rings.stream().mapToLong(metric).sum();
    }

    private static List<Readings.Point> byStore(
            List<RingStatus> rings, ToLongFunction<RingStatus.Member> metric) {
        Map<String, Long> sums = new TreeMap<>();
        for (RingStatus ring : rings) {
            for (RingStatus.Member member : ring.members()) {
                sums.merge(member.store(), metric.applyAsLong(member), Long::sum);
            }
        }
        List<Readings.Point> points = new ArrayList<>();
        sums.forEach(
                (store, value) -> points.add(new Readings.Point(Labels.of("store", store), value)));
        return points;
    }
}
