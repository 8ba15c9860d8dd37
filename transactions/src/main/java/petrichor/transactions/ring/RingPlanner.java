package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/**
 * Chooses the ranges to move so that every member has the same weight, with as few bytes as
 * possible: only members with too much give, and only what they have too much. Pure functions.
 */
final class RingPlanner {
    /** A measured part of a range, in one store. */
    record Slice(KeyRange keys, String store, long bytes, double weight) {}

    /** A member whose weight differs from the mean by less is left alone. */
    private static final double TOLERANCE = 0.05;

    /** A slice with more than this share of a member's requests is split. */
    private static final double HOT_SHARE = 0.25;

    private static final int SPLITS_MAX = 6;
    private static final int KEYS_PER_SPLIT_MIN = 16;

    private RingPlanner() {}

    /** Slices whose weight is their bytes. */
    static List<Slice> byBytes(List<Slice> slices) {
        return slices.stream()
                .map(slice -> new Slice(slice.keys, slice.store, slice.bytes, slice.bytes))
                .toList();
    }

    /**
     * Slices whose weight is half of bytes, half of requests; slices with many requests are split
     * in the middle of those.
     *
     * @param keys of recent requests
     */
    static List<Slice> byLoad(List<Slice> slices, List<byte[]> keys, int members) {
        List<byte[]> sorted = keys.stream().sorted(Bytes::compare).toList();
        long bytes = Math.max(1, slices.stream().mapToLong(Slice::bytes).sum());
        List<Slice> split = new ArrayList<>();
        double hot = Math.max(KEYS_PER_SPLIT_MIN, HOT_SHARE * sorted.size() / members);
        slices.forEach(slice -> split(slice, sorted, hot, SPLITS_MAX, split));
        long inside = 0;
        for (Slice slice : split) {
            inside += within(sorted, slice.keys).size();
        }
        double requests = Math.max(1, inside);
        return split.stream()
                .map(
                        slice ->
                                new Slice(
                                        slice.keys,
                                        slice.store,
                                        slice.bytes,
                                        (double) slice.bytes / bytes
                                                + within(sorted, slice.keys).size() / requests))
                .toList();
    }

    private static void split(
            Slice slice, List<byte[]> sorted, double hot, int levels, List<Slice> into) {
        List<byte[]> keys = within(sorted, slice.keys);
        if (keys.size() > hot && levels > 0) {
            byte[] middle = keys.get(keys.size() / 2);
            if (Bytes.compare(middle, slice.keys.from()) > 0) {
                KeyRange low = new KeyRange(slice.keys.from(), middle);
                KeyRange high = new KeyRange(middle, slice.keys.to());
                long half = slice.bytes / 2;
                split(new Slice(low, slice.store, half, 0), sorted, hot, levels - 1, into);
                split(
                        new Slice(high, slice.store, slice.bytes - half, 0),
                        sorted,
                        hot,
                        levels - 1,
                        into);
                return;
            }
        }
        into.add(slice);
    }

    private static List<byte[]> within(List<byte[]> sorted, KeyRange keys) {
        byte[] to = keys.to();
        return sorted.subList(
                firstAtLeast(sorted, keys.from()),
                to == null ? sorted.size() : firstAtLeast(sorted, to));
    }

    private static int firstAtLeast(List<byte[]> sorted, byte[] key) {
        int low = 0;
        int high = sorted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Bytes.compare(sorted.get(middle), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * The moves after which the members are equal, in the order of keys.
     *
     * @param slices in the order of keys
     * @param staying members that may have ranges; all others give all of theirs
     */
    static List<RingMap.Planned> plan(List<Slice> slices, List<String> staying) {
        Map<String, Double> weights = new HashMap<>();
        staying.forEach(member -> weights.put(member, 0.0));
        double total = 0;
        for (Slice slice : slices) {
            weights.merge(slice.store, slice.weight, Double::sum);
            total += slice.weight;
        }
        double target = total / staying.size();
        boolean even =
                weights.entrySet().stream()
                        .allMatch(
                                entry ->
                                        staying.contains(entry.getKey())
                                                ? Math.abs(entry.getValue() - target)
                                                        <= TOLERANCE * target
                                                : slices.stream()
                                                        .noneMatch(
                                                                slice ->
                                                                        slice.store.equals(
                                                                                entry.getKey())));
        return even ? List.of() : given(slices, staying, weights, target);
    }

    /** From the end of each giver's ranges, so that it keeps few of them. */
    private static List<RingMap.Planned> given(
            List<Slice> slices, List<String> staying, Map<String, Double> weights, double target) {
        @Nullable String[] receivers = new @Nullable String[slices.size()];
        String receiver = null;
        for (int i = slices.size() - 1; i >= 0; i--) {
            Slice slice = slices.get(i);
            double excess = weights.getOrDefault(slice.store, 0.0) - target;
            boolean stays = staying.contains(slice.store);
            if (stays && (excess < slice.weight / 2 || excess <= TOLERANCE * target / 2)) {
                continue;
            }
            if (receiver == null
                    || receiver.equals(slice.store)
                    || target - weights.getOrDefault(receiver, 0.0) < slice.weight / 2) {
                receiver = lightest(staying, weights);
            }
            if (stays && target - weights.getOrDefault(receiver, 0.0) < slice.weight / 2) {
                // It would have too much afterwards.
                continue;
            }
            receivers[i] = receiver;
            weights.merge(slice.store, -slice.weight, Double::sum);
            weights.merge(receiver, slice.weight, Double::sum);
        }
        return merged(slices, receivers);
    }

    private static String lightest(List<String> staying, Map<String, Double> weights) {
        return staying.stream()
                .min(
                        Comparator.comparingDouble(
                                (String member) -> weights.getOrDefault(member, 0.0)))
                .orElseThrow();
    }

    private static List<RingMap.Planned> merged(List<Slice> slices, @Nullable String[] receivers) {
        List<RingMap.Planned> plan = new ArrayList<>();
        Slice before = null;
        String beforeTo = null;
        for (int i = 0; i < receivers.length; i++) {
            Slice slice = slices.get(i);
            String to = receivers[i];
            if (to != null) {
                byte[] end = before == null ? null : before.keys.to();
                if (before != null
                        && end != null
                        && to.equals(beforeTo)
                        && before.store.equals(slice.store)
                        && Bytes.compare(end, slice.keys.from()) == 0) {
                    RingMap.Planned last = plan.removeLast();
                    plan.add(
                            new RingMap.Planned(
                                    new KeyRange(last.keys().from(), slice.keys.to()), to));
                } else {
                    plan.add(new RingMap.Planned(slice.keys, to));
                }
            }
            before = slice;
            beforeTo = to;
        }
        return plan;
    }
}
