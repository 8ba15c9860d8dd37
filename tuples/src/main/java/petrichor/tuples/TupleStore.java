package petrichor.tuples;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;

/**
 * The collections and tuples of a database. Calls block; those that change something require the
 * owner of the database, and are durable when they return. Every call has a limit ({@link
 * TupleLimits}); one that would exceed it returns a part and how to continue. Failures are {@link
 * PetrichorException}s. Thread-safe.
 */
public final class TupleStore {
    /** Tuples from which the buckets of a tagged placement are computed. */
    private static final int SAMPLE_TUPLES = 5_000;

    private static final int SAMPLE_PAGES_MAX = 100;

    /** Keys that are read together; one tuple may have a mebibyte. */
    private static final int KEYS_AT_ONCE = 16;

    private final Database database;
    private final TupleCommits commits;
    private final TupleCatalog catalog = new TupleCatalog();
    private final TupleWriter writer = new TupleWriter(catalog);
    private final LayoutWork work;
    private final RandomGenerator random;
    private final KnownPlaces known = new KnownPlaces();
    private final WorkloadSamples samples;

    /**
     * @param random chooses samples
     */
    public TupleStore(Database database, RandomGenerator random) {
        this(database, random, new AtomicLong());
    }

    /**
     * @param sampled bytes that samples of operations take, shared by several databases
     */
    TupleStore(Database database, RandomGenerator random, AtomicLong sampled) {
        this.samples = new WorkloadSamples(sampled, random);
        this.database = database;
        this.commits = new TupleCommits(database);
        this.work = new LayoutWork(commits, catalog);
        this.random = random;
    }

    /** Nothing is sampled after this. */
    void forgetSamples() {
        samples.end();
    }

    public Database database() {
        return database;
    }

    /** In the order of their names. */
    public List<CollectionInfo> collections() {
        try (Snapshot snapshot = database.snapshot()) {
            return catalog.all(snapshot).stream()
                    .map(collection -> TupleCatalog.info(snapshot, collection))
                    .toList();
        }
    }

    /** NOT_FOUND if there is none. */
    public CollectionInfo collection(String name) {
        try (Snapshot snapshot = database.snapshot()) {
            return TupleCatalog.info(snapshot, catalog.read(snapshot, name));
        }
    }

    /**
     * Creates a collection. ALREADY_EXISTS if there is one with the name.
     *
     * @param tagIndex whether tags that do not determine positions have index entries
     */
    public CollectionInfo create(String name, TuplePlacement placement, boolean tagIndex) {
        CollectionName.require(name);
        TupleCollection created =
                commits.commit(
                        edits -> {
                            if (edits.require(TupleRows.collection(name)) != null) {
                                throw PetrichorException.of(
                                        ErrorCode.ALREADY_EXISTS,
                                        "The collection {collection} exists.",
                                        "collection",
                                        name);
                            }
                            requireBelowLimit(edits.reader());
                            int id = TupleCatalog.newId(edits, 2);
                            TupleLayout layout =
                                    catalog.create(
                                            edits,
                                            id + 1,
                                            id,
                                            placement,
                                            tagIndex,
                                            TupleSample.buckets(placement, List.of()));
                            TupleCollection collection =
                                    new TupleCollection(name, id, tagIndex, layout, null, "");
                            TupleCatalog.put(edits, collection);
                            return collection;
                        });
        return new CollectionInfo(
                name, tagIndex, placement, created.layout().id(), Optional.empty(), "");
    }

    private void requireBelowLimit(RowReader reader) {
        if (catalog.all(reader).size() >= TupleLimits.COLLECTIONS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "A database has at most {collectionsMax} collections; drop some first.",
                    "collectionsMax",
                    TupleLimits.COLLECTIONS_MAX);
        }
    }

    /** Drops a collection with its tuples. Their rows are removed by {@link #work}. */
    public void drop(String name) {
        var _ =
                commits.commit(
                        edits -> {
                            work.drop(edits, name);
                            return true;
                        });
        samples.forget(name);
    }

    /**
     * Begins to change the placement of a collection; {@link #work} completes it. Tuples can be
     * read and written meanwhile. The same placement again computes new buckets of tags, and moves
     * tuples to the groups that are assigned now. FAILED_PRECONDITION if a change is in progress.
     */
    public CollectionInfo changePlacement(String name, TuplePlacement placement) {
        return changePlacement(name, placement, Optional.empty());
    }

    /**
     * @param tagIndex whether tags have index entries after the change; empty for as before
     */
    CollectionInfo changePlacement(
            String name, TuplePlacement placement, Optional<Boolean> tagIndex) {
        List<TagBuckets> buckets = buckets(name, placement);
        return commits.commit(
                edits -> {
                    TupleCollection collection = catalog.require(edits, name);
                    if (collection.next() != null) {
                        throw PetrichorException.of(
                                ErrorCode.FAILED_PRECONDITION,
                                "The placement of {collection} is being changed; wait until it is"
                                        + " complete, or cancel it.",
                                "collection",
                                name);
                    }
                    if (placement instanceof TuplePlacement.Colocated colocated
                            && colocated.collection().equals(name)) {
                        throw PetrichorException.invalid(
                                "a collection cannot be colocated with itself.");
                    }
                    TupleLayout next =
                            catalog.create(
                                    edits,
                                    TupleCatalog.newId(edits, 1),
                                    collection.id(),
                                    placement,
                                    tagIndex.orElse(collection.tagIndex()),
                                    buckets);
                    TupleCollection changing =
                            new TupleCollection(
                                    name,
                                    collection.id(),
                                    collection.tagIndex(),
                                    collection.layout(),
                                    next,
                                    "");
                    TupleCatalog.put(edits, changing);
                    return new CollectionInfo(
                            name,
                            changing.tagIndex(),
                            changing.layout().placement(),
                            changing.layout().id(),
                            Optional.of(new CollectionInfo.Change(placement, 0)),
                            "");
                });
    }

    private List<TagBuckets> buckets(String name, TuplePlacement placement) {
        if (!(placement instanceof TuplePlacement.Tagged)) {
            return List.of();
        }
        try (Snapshot snapshot = database.snapshot()) {
            TupleLayout layout = catalog.read(snapshot, name).layout();
            return TupleSample.buckets(
                    placement,
                    TupleSample.of(snapshot, layout, SAMPLE_TUPLES, SAMPLE_PAGES_MAX, random)
                            .tuples());
        }
    }

    /** What an advisor needs to know about a collection. */
    Workload workload(String name, int tuplesMax, int pagesMax) {
        try (Snapshot snapshot = database.snapshot()) {
            TupleCollection collection = catalog.read(snapshot, name);
            List<SampledOperation> operations = samples.operations(name);
            TupleSample sample =
                    TupleSample.of(snapshot, collection.layout(), tuplesMax, pagesMax, random);
            return new Workload(
                    collection.layout(),
                    operations,
                    samples.seen(name),
                    sample,
                    Workload.groups(snapshot, collection.layout(), operations, sample));
        }
    }

    /** Cancels a change of the placement; returns false if none is in progress. */
    public boolean cancelChange(String name) {
        return work.cancel(name, "");
    }

    /**
     * Does a step of changes of placements, and of the removal of rows that they, and dropped
     * collections, left; returns false if there is nothing to do.
     */
    public boolean work() {
        return work.step();
    }

    /**
     * Assigns groups to affinity keys, for tuples that are written from now on; {@link
     * #changePlacement} moves the others.
     */
    public void assign(String name, Map<String, Integer> groups) {
        if (groups.size() > TupleLimits.ASSIGNMENTS_MAX) {
            throw PetrichorException.invalid(
                    "the request has {assignments} assignments; at most {assignmentsMax} are"
                            + " allowed.",
                    "assignments",
                    groups.size(),
                    "assignmentsMax",
                    TupleLimits.ASSIGNMENTS_MAX);
        }
        groups.keySet().forEach(Tuple::requireKey);
        var _ =
                commits.commit(
                        edits -> {
                            int id = catalog.require(edits, name).id();
                            groups.forEach(
                                    (key, group) ->
                                            edits.put(
                                                    TupleRows.assignment(id, key),
                                                    ByteBuffer.allocate(Integer.BYTES)
                                                            .putInt(group)
                                                            .array()));
                            return true;
                        });
    }

    /**
     * Writes tuples, of any collections, in one commit.
     *
     * @param atomic whether nothing is written if a condition is not met
     */
    public WriteResult.Batch write(List<TupleWrite> writes, boolean atomic) {
        TupleWriter.check(writes);
        WriteResult.Batch batch = commits.commit(edits -> writer.write(edits, writes, atomic));
        samples.write(writes, batch);
        return batch;
    }

    /**
     * Tuples by key.
     *
     * @param tuples in the order of the keys, without those that do not exist
     * @param version that was read
     * @param unread keys that were not read, because the others have too many bytes
     */
    public record Gets(List<Tuple> tuples, long version, List<String> unread) {}

    /**
     * @param version to be read, microseconds since 1970; 0 for the newest
     */
    public Gets get(String name, List<String> keys, long version) {
        if (keys.size() > TupleLimits.BATCH_TUPLES_MAX) {
            throw PetrichorException.invalid(
                    "the request has {keys} keys; at most {keysMax} are allowed.",
                    "keys",
                    keys.size(),
                    "keysMax",
                    TupleLimits.BATCH_TUPLES_MAX);
        }
        keys.forEach(Tuple::requireKey);
        try (Snapshot snapshot = snapshot(version)) {
            TupleLayout layout = catalog.read(snapshot, name).layout();
            List<Tuple> tuples = new ArrayList<>();
            long bytes = 0;
            int next = 0;
            while (next < keys.size() && bytes < TupleLimits.PAGE_BYTES_MAX) {
                int end = Math.min(keys.size(), next + KEYS_AT_ONCE);
                List<String> some = keys.subList(next, end);
                for (Tuple tuple : Places.read(snapshot, layout, some, known)) {
                    if (tuple != null) {
                        tuples.add(tuple);
                        bytes += tuple.bytes();
                    }
                }
                next = end;
            }
            samples.get(name, keys, tuples);
            return new Gets(
                    tuples, snapshot.version(), List.copyOf(keys.subList(next, keys.size())));
        }
    }

    private Snapshot snapshot(long version) {
        return version == 0 ? database.snapshot() : database.snapshotAt(version);
    }

    /** How a page is asked for. */
    public sealed interface Paging {
        /** Tuples of a page; 0 for the default. */
        int size();

        /**
         * The first page.
         *
         * @param version to be read, microseconds since 1970; 0 for the newest
         */
        record First(int size, long version) implements Paging {}

        /**
         * A following page.
         *
         * @param continuation of the previous page
         */
        record Next(int size, String continuation) implements Paging {}

        /**
         * @param continuation empty for the first page
         */
        static Paging of(int size, long version, String continuation) {
            return continuation.isEmpty() ? new First(size, version) : new Next(size, continuation);
        }
    }

    /** Tuples in the order of their keys. */
    public TuplePage range(String name, KeySpan span, Paging paging) {
        String query = "range\n" + name + "\n" + span.text();
        PagePosition from = from(paging, query);
        PageSize size = PageSize.of(paging.size());
        try (Snapshot snapshot = snapshot(from.version())) {
            TupleLayout layout = catalog.read(snapshot, name).layout();
            byte[] after = after(from, layout);
            if (layout.placement() instanceof TuplePlacement.Hashed(int buckets)) {
                KeySpan rest = after == null ? span : span.after(after);
                FoundTuples found = BucketMerge.page(snapshot, layout, buckets, rest, size);
                if (after == null) {
                    samples.range(name, span, size, found.tuples());
                }
                return page(
                        found, snapshot, layout, query, "range of keys in " + buckets + " buckets");
            }
            AccessPath path = java.util.Objects.requireNonNull(AccessPath.ofKeys(layout, span));
            TuplePage page = page(snapshot, layout, path, TagFilter.EVERYTHING, after, size, query);
            if (after == null) {
                samples.range(name, span, size, page.tuples());
            }
            return page;
        }
    }

    /** Tuples that a filter selects; all tuples in the order in which they are stored. */
    public TuplePage find(String name, TagFilter filter, Paging paging) {
        String query = "find\n" + name + "\n" + filter;
        PagePosition from = from(paging, query);
        PageSize size = PageSize.of(paging.size());
        try (Snapshot snapshot = snapshot(from.version())) {
            TupleLayout layout = catalog.read(snapshot, name).layout();
            AccessPath path = AccessPath.of(layout, filter);
            byte[] after = after(from, layout);
            TuplePage page = page(snapshot, layout, path, filter, after, size, query);
            if (after == null) {
                samples.find(name, filter, size, page.tuples());
            }
            return page;
        }
    }

    /**
     * What a deletion by tags has done.
     *
     * @param deleted number of tuples
     * @param continuation for the rest; empty if no tuple that the filter selects is left
     */
    public record Deletions(int deleted, Optional<String> continuation) {}

    /**
     * Deletes tuples that a filter selects, at most as many as a batch may write. Tuples of one
     * call are deleted together.
     */
    public Deletions delete(String name, TagFilter filter, String continuation) {
        String query = "delete\n" + name + "\n" + filter;
        PagePosition from = from(Paging.of(0, 0, continuation), query);
        PageSize size =
                new PageSize(
                        TupleLimits.BATCH_TUPLES_MAX,
                        TupleLimits.PAGE_BYTES_MAX,
                        TupleLimits.PAGE_ROWS_MAX);
        return commits.commit(
                edits -> {
                    TupleLayout layout = catalog.require(edits, name).layout();
                    FoundTuples found =
                            TupleReads.page(
                                    edits.reader(),
                                    layout,
                                    AccessPath.of(layout, filter),
                                    filter,
                                    after(from, layout),
                                    size);
                    List<TupleWrite> deletes = new ArrayList<>();
                    for (Tuple tuple : found.tuples()) {
                        deletes.add(
                                new TupleWrite.Delete(
                                        name, tuple.key(), TupleWrite.Condition.NONE));
                    }
                    var _ = writer.write(edits, deletes, true);
                    byte[] position = found.position();
                    return new Deletions(
                            deletes.size(),
                            position == null
                                    ? Optional.empty()
                                    : Optional.of(
                                            new PagePosition(0, layout.id(), position)
                                                    .encode(query)));
                });
    }

    private static PagePosition from(Paging paging, String query) {
        return switch (paging) {
            case Paging.First first -> new PagePosition(first.version(), 0, new byte[0]);
            case Paging.Next next -> PagePosition.decode(next.continuation(), query);
        };
    }

    /** Null: begin at the beginning, also if the tuples have another layout meanwhile. */
    private static byte @Nullable [] after(PagePosition from, TupleLayout layout) {
        return from.layout() == layout.id() ? from.position() : null;
    }

    private static TuplePage page(
            Snapshot snapshot,
            TupleLayout layout,
            AccessPath path,
            TagFilter filter,
            byte @Nullable [] after,
            PageSize size,
            String query) {
        return page(
                TupleReads.page(snapshot, layout, path, filter, after, size),
                snapshot,
                layout,
                query,
                path.text());
    }

    private static TuplePage page(
            FoundTuples found, Snapshot snapshot, TupleLayout layout, String query, String access) {
        byte[] position = found.position();
        return new TuplePage(
                found.tuples(),
                snapshot.version(),
                position == null
                        ? Optional.empty()
                        : Optional.of(
                                new PagePosition(snapshot.version(), layout.id(), position)
                                        .encode(query)),
                found.rows(),
                access);
    }
}
