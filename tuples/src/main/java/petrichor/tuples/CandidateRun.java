package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import petrichor.placement.advisor.Usage;
import petrichor.tuples.Places.Ask;

/**
 * Runs sampled operations on the rows of a candidate, by the code that serves them.
 *
 * @param scale tuples of the collection per tuple of the candidate
 */
record CandidateRun(TupleLayout layout, CandidateRows rows, double scale) {
    private static final int KEYS_AT_ONCE = 16;

    void run(SampledOperation operation) {
        switch (operation) {
            case SampledOperation.Get get -> {
                for (int at = 0; at < get.keys().size(); at += KEYS_AT_ONCE) {
                    int end = Math.min(get.keys().size(), at + KEYS_AT_ONCE);
                    var _ = Places.read(rows, layout, get.keys().subList(at, end), rows.known());
                }
            }
            case SampledOperation.Range range -> range(range);
            case SampledOperation.Find find ->
                    page(AccessPath.of(layout, find.filter()), find.filter(), find.size());
            case SampledOperation.Write write -> write(write);
        }
    }

    private void range(SampledOperation.Range range) {
        if (layout.placement() instanceof TuplePlacement.Hashed(int buckets)) {
            var _ = BucketMerge.page(rows, layout, buckets, range.span(), range.size());
            return;
        }
        AccessPath path = java.util.Objects.requireNonNull(AccessPath.ofKeys(layout, range.span()));
        page(path, TagFilter.EVERYTHING, range.size());
    }

    /** Rows of tuples that the filter does not select are sampled, those of others are not. */
    private void page(AccessPath path, TagFilter filter, PageSize size) {
        Usage usage = rows.usage();
        double before = usage.rowsRead();
        FoundTuples found = TupleReads.page(rows, layout, path, filter, null, size);
        int perTuple = path.kind() == AccessPath.Kind.TUPLES ? 1 : 2;
        double useless = usage.rowsRead() - before - (double) perTuple * found.tuples().size();
        double limit = (double) size.rows() * perTuple;
        usage.readMore(Math.clamp(useless * (scale - 1), 0, limit), 0);
    }

    private void write(SampledOperation.Write write) {
        List<Ask> asks = new ArrayList<>();
        write.tuples().forEach(one -> asks.add(new Ask(layout, one.tuple().key())));
        write.deleted().forEach(key -> asks.add(new Ask(layout, key)));
        rows.hide(write.created());
        List<Places.Place> places = Places.find(rows, asks);
        rows.hide(List.of());
        List<byte[]> assignments =
                write.tuples().stream()
                        .map(one -> layout.affinityKey(one.tuple().key()))
                        .filter(key -> key != null)
                        .distinct()
                        .map(key -> TupleRows.assignment(layout.base().collection(), key))
                        .collect(Collectors.toList());
        if (!assignments.isEmpty()) {
            var _ = rows.get(assignments);
        }
        rows.usage().round();
        write.created().forEach(rows::create);
        write.replaced().forEach(rows::replace);
        for (int k = write.tuples().size(); k < asks.size(); k++) {
            Tuple old = places.get(k).tuple(asks.get(k).key());
            if (old != null) {
                rows.create(SampledOperation.SampledTuple.of(old));
            }
        }
    }
}
