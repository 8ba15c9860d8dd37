package petrichor.placement.advisor;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What it would cost to keep a copy of each result that is read by several keys, such as a
 * timeline, and to maintain the copies with each write ("fan-out on write"). A read then contacts
 * one node, and a write one per copy. The estimate is rough: results are distinguished by the
 * sources of their tuples, and their number is estimated from the sample (Chao's estimator).
 *
 * @param readers estimated number of copies
 * @param copies of each written tuple, mean
 * @param readCost of a read by several keys; means per operation
 * @param writeCost of a write, in addition to what it costs now
 * @param micros of all nodes per operation of the workload
 */
public record Materialisation(
        double readers, double copies, Cost readCost, Cost writeCost, double micros) {
    private static final int MESSAGES_PER_REQUEST = 2;

    /**
     * @param best what operations cost without copies
     * @param reads the sources of each read by several keys
     * @param writes the source of each written tuple
     */
    public static Optional<Materialisation> of(
            Estimate best, List<Set<String>> reads, List<String> writes, NodeTime time) {
        Estimate.Kind gets = best.kinds().get(OperationKind.GET);
        if (reads.isEmpty() || gets == null) {
            return Optional.empty();
        }
        Map<Set<String>, Integer> times = new HashMap<>();
        reads.forEach(sources -> times.merge(sources, 1, Integer::sum));
        double readers = chao(times.values());
        Map<String, Integer> readersOf = new HashMap<>();
        times.keySet()
                .forEach(sources -> sources.forEach(one -> readersOf.merge(one, 1, Integer::sum)));
        double copies = mean(writes, readersOf) * readers / times.size();
        Cost now = gets.cost();
        Cost read = new Cost(1, MESSAGES_PER_REQUEST, 1, now.bytesRead(), 0, 0);
        double bytes = now.rowsRead() == 0 ? 0 : now.bytesRead() / now.rowsRead();
        Cost write =
                new Cost(copies, MESSAGES_PER_REQUEST * copies, copies, 0, copies, copies * bytes);
        double all = best.operations();
        Estimate.Kind written = best.kinds().get(OperationKind.WRITE);
        double micros =
                time.micros(best.cost())
                        + (time.micros(read) - time.micros(now)) * gets.operations() / all
                        + (written == null ? 0 : time.micros(write) * written.operations() / all);
        return Optional.of(new Materialisation(readers, copies, read, write, micros));
    }

    private static double mean(List<String> writes, Map<String, Integer> readersOf) {
        return writes.stream().mapToInt(one -> readersOf.getOrDefault(one, 0)).average().orElse(0);
    }

    /** The number of classes, from how often each class of a sample was seen. */
    private static double chao(Collection<Integer> times) {
        double once = times.stream().filter(count -> count == 1).count();
        double twice = times.stream().filter(count -> count == 2).count();
        return times.size() + once * (once - 1) / (2 * (twice + 1));
    }
}
