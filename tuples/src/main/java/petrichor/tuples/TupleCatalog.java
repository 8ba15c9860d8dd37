package petrichor.tuples;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.tuples.stored.StoredCollection;
import petrichor.tuples.stored.StoredLayout;
import petrichor.tuples.stored.StoredProgress;

/**
 * The collections of a database and their layouts. Every commit of tuples requires the row of their
 * collection to be unchanged, so that a write under a former layout cannot commit. Thread-safe.
 */
final class TupleCatalog {
    /** Ids are never reused, so a layout is never stale. */
    private final Map<Integer, TupleLayout> layouts = new ConcurrentHashMap<>();

    /** In a snapshot. NOT_FOUND if there is no such collection. */
    TupleCollection read(RowReader reader, String name) {
        CollectionName.require(name);
        Row row = reader.get(TupleRows.collection(name));
        if (row == null) {
            throw unknown(reader, name);
        }
        return decode(reader, name, row.value());
    }

    /** For a commit that fails if the collection changes. */
    TupleCollection require(TupleEdits edits, String name) {
        edits.requireUnchanged(TupleRows.collection(name));
        return read(edits.reader(), name);
    }

    Map<String, TupleCollection> require(TupleEdits edits, Set<String> names) {
        Map<String, TupleCollection> collections = new LinkedHashMap<>();
        for (String name : names) {
            collections.put(name, require(edits, name));
        }
        return collections;
    }

    /** In the order of their names. */
    List<TupleCollection> all(RowReader reader) {
        List<TupleCollection> collections = new ArrayList<>();
        try (RowCursor rows = reader.scan(TupleRows.collections(), Direction.FORWARD)) {
            while (rows.next()) {
                collections.add(decode(reader, TupleRows.collectionOf(rows.key()), rows.value()));
            }
        }
        return collections;
    }

    private TupleCollection decode(RowReader reader, String name, byte[] value) {
        try {
            StoredCollection stored = StoredCollection.parseFrom(value);
            int next = stored.getNextLayout();
            return new TupleCollection(
                    name,
                    stored.getId(),
                    stored.getTagIndex(),
                    layout(reader, stored.getLayout()),
                    next == 0 ? null : layout(reader, next),
                    stored.getFailure());
        } catch (InvalidProtocolBufferException damaged) {
            throw TupleRows.damaged(damaged);
        }
    }

    TupleLayout layout(RowReader reader, int id) {
        TupleLayout known = layouts.get(id);
        if (known != null) {
            return known;
        }
        Row row = reader.get(TupleRows.layout(id));
        if (row == null) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, "The layout {layout} is missing.", "layout", id);
        }
        try {
            StoredLayout stored = StoredLayout.parseFrom(row.value());
            int host = stored.getHostLayout();
            TupleLayout layout =
                    LayoutCodec.decode(id, stored, host == 0 ? null : layout(reader, host));
            layouts.put(id, layout);
            return layout;
        } catch (InvalidProtocolBufferException damaged) {
            throw TupleRows.damaged(damaged);
        }
    }

    private PetrichorException unknown(RowReader reader, String name) {
        List<String> names = all(reader).stream().map(TupleCollection::name).toList();
        Optional<String> nearest = NearestName.closeTo(name, names);
        return nearest.isPresent()
                ? PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "There is no collection {collection}; did you mean {nearest}?",
                        "collection",
                        name,
                        "nearest",
                        nearest.get())
                : PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "There is no collection {collection}; create it first.",
                        "collection",
                        name);
    }

    /** An id that no collection or layout had before. */
    static int newId(TupleEdits edits, int count) {
        Row row = edits.require(TupleRows.nextId());
        int id = row == null ? 1 : ByteBuffer.wrap(row.value()).getInt();
        edits.put(
                TupleRows.nextId(), ByteBuffer.allocate(Integer.BYTES).putInt(id + count).array());
        return id;
    }

    /** A new layout of a collection. */
    TupleLayout create(
            TupleEdits edits,
            int id,
            int collection,
            TuplePlacement placement,
            boolean tagIndex,
            List<TagBuckets> buckets) {
        TupleLayout host =
                placement instanceof TuplePlacement.Colocated colocated
                        ? require(edits, colocated.collection()).layout()
                        : null;
        TupleLayout layout = new TupleLayout(id, collection, placement, tagIndex, buckets, host);
        edits.put(TupleRows.layout(id), LayoutCodec.encode(layout));
        return layout;
    }

    static void put(TupleEdits edits, TupleCollection collection) {
        TupleLayout next = collection.next();
        edits.put(
                TupleRows.collection(collection.name()),
                StoredCollection.newBuilder()
                        .setId(collection.id())
                        .setTagIndex(collection.tagIndex())
                        .setLayout(collection.layout().id())
                        .setNextLayout(next == null ? 0 : next.id())
                        .setFailure(collection.failure())
                        .build()
                        .toByteArray());
    }

    static StoredProgress progress(RowReader reader, int collection) {
        return progress(reader.get(TupleRows.progress(collection)));
    }

    static StoredProgress progress(@Nullable Row row) {
        try {
            return row == null
                    ? StoredProgress.getDefaultInstance()
                    : StoredProgress.parseFrom(row.value());
        } catch (InvalidProtocolBufferException damaged) {
            throw TupleRows.damaged(damaged);
        }
    }

    static CollectionInfo info(RowReader reader, TupleCollection collection) {
        TupleLayout next = collection.next();
        return new CollectionInfo(
                collection.name(),
                collection.tagIndex(),
                collection.layout().placement(),
                collection.layout().id(),
                next == null
                        ? Optional.empty()
                        : Optional.of(
                                new CollectionInfo.Change(
                                        next.placement(),
                                        progress(reader, collection.id()).getTuples())),
                collection.failure());
    }
}
