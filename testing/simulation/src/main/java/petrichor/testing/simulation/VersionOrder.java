package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The version order of each key, given by the longest list that was read. All shorter lists must be
 * its prefixes; others are anomalies.
 */
final class VersionOrder {
    private final SortedMap<String, List<Long>> longest = new TreeMap<>();

    static VersionOrder of(List<Seen> reads, List<Anomaly> anomalies) {
        VersionOrder order = new VersionOrder();
        for (Seen read : reads) {
            order.longest.merge(
                    read.key(),
                    read.elements(),
                    (one, other) -> one.size() >= other.size() ? one : other);
        }
        order.longest.forEach((key, elements) -> duplicates(key, elements, anomalies));
        Set<String> reported = new HashSet<>();
        for (Seen read : reads) {
            List<Long> whole = order.of(read.key());
            if (!whole.subList(0, read.elements().size()).equals(read.elements())
                    && reported.add(read.key())) {
                anomalies.add(
                        new Anomaly(
                                Anomaly.Kind.INCOMPATIBLE_ORDER,
                                "attempt "
                                        + read.reader().id()
                                        + " saw "
                                        + read.key()
                                        + " = "
                                        + read.elements()
                                        + ", others saw "
                                        + whole));
            }
        }
        return order;
    }

    /** Elements of a key, oldest first. */
    List<Long> of(String key) {
        return longest.getOrDefault(key, List.of());
    }

    private static void duplicates(String key, List<Long> elements, List<Anomaly> anomalies) {
        Map<Long, Integer> counts = new HashMap<>();
        List<Long> twice = new ArrayList<>();
        for (long element : elements) {
            if (counts.merge(element, 1, Integer::sum) == 2) {
                twice.add(element);
            }
        }
        if (!twice.isEmpty()) {
            anomalies.add(
                    new Anomaly(
                            Anomaly.Kind.DUPLICATE, key + " holds " + twice + " more than once"));
        }
    }

    /**
     * One key as seen by one transaction.
     *
     * @param byRange whether it was in a scanned range, possibly absent
     */
    record Seen(Attempt reader, String key, List<Long> elements, boolean byRange) {}
}
