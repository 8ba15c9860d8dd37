package petrichor.tuples;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.tuples.stored.StoredTag;
import petrichor.tuples.stored.StoredTuple;

/**
 * Keys and values of the rows of collections. The first byte of a key is the type of row in the
 * database, the second one the kind of row here:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><td>C</td><td>collection</td><td>its id and layouts</td></tr>
 * <tr><td>L</td><td>layout</td><td>its definition</td></tr>
 * <tr><td>N</td><td></td><td>the next id</td></tr>
 * <tr><td>P</td><td>collection</td><td>how far the next layout is complete</td></tr>
 * <tr><td>X</td><td>layout</td><td>a layout whose rows are to be removed</td></tr>
 * <tr><td>A</td><td>collection, affinity key</td><td>the assigned group</td></tr>
 * <tr><td>R</td><td>base, prefix, root, layout, key</td><td>a tuple</td></tr>
 * <tr><td>K</td><td>layout, key</td><td>the prefix of the tuple's row</td></tr>
 * <tr><td>T</td><td>layout, dimension, value, key</td><td>the prefix of the tuple's row</td></tr>
 * </table>
 */
final class TupleRows {
    /** Type of the rows in a database. */
    static final char TYPE = 'D';

    private static final char COLLECTION = 'C';
    private static final char LAYOUT = 'L';
    private static final char NEXT_ID = 'N';
    private static final char PROGRESS = 'P';
    private static final char REMOVAL = 'X';
    private static final char ASSIGNMENT = 'A';
    private static final char TUPLE = 'R';
    private static final char KEY = 'K';
    private static final char TAG = 'T';

    private static final int KIND_BYTES = 2;

    private TupleRows() {}

    private static OrderedWriter of(char kind) {
        return new OrderedWriter().put(TYPE).put(kind);
    }

    static byte[] collection(String name) {
        return of(COLLECTION).putString(name).toBytes();
    }

    static KeyRange collections() {
        return KeyRange.ofPrefix(of(COLLECTION).toBytes());
    }

    /** Of all collections: tuples, positions, and the index of tags. */
    static List<KeyRange> ofCollections() {
        return List.of(
                KeyRange.ofPrefix(of(KEY).toBytes()),
                KeyRange.ofPrefix(of(TUPLE).toBytes()),
                KeyRange.ofPrefix(of(TAG).toBytes()));
    }

    static String collectionOf(byte[] key) {
        return new OrderedReader(key, KIND_BYTES).takeString();
    }

    static byte[] layout(int id) {
        return of(LAYOUT).putInt(id).toBytes();
    }

    static byte[] nextId() {
        return of(NEXT_ID).toBytes();
    }

    static byte[] progress(int collection) {
        return of(PROGRESS).putInt(collection).toBytes();
    }

    static byte[] removal(int layout) {
        return of(REMOVAL).putInt(layout).toBytes();
    }

    static KeyRange removals() {
        return KeyRange.ofPrefix(of(REMOVAL).toBytes());
    }

    static int removedLayout(byte[] key) {
        return new OrderedReader(key, KIND_BYTES).takeInt();
    }

    static byte[] assignment(int collection, String affinityKey) {
        return of(ASSIGNMENT).putInt(collection).putString(affinityKey).toBytes();
    }

    static KeyRange assignments(int collection) {
        return KeyRange.ofPrefix(of(ASSIGNMENT).putInt(collection).toBytes());
    }

    /** All tuples of the layout, and those of layouts that share its base. */
    static KeyRange tuples(TupleLayout layout) {
        return KeyRange.ofPrefix(base(layout).toBytes());
    }

    private static OrderedWriter base(TupleLayout layout) {
        return of(TUPLE).putInt(layout.base().id());
    }

    /** Tuples whose rows have one of these prefixes. */
    static KeyRange tuples(TupleLayout layout, byte[] from, byte @Nullable [] to) {
        KeyRange all = tuples(layout);
        return new KeyRange(
                base(layout).putEncoded(from).toBytes(),
                to == null ? all.to() : base(layout).putEncoded(to).toBytes());
    }

    /** Rows with this prefix, and roots from one key to before another. */
    static KeyRange roots(TupleLayout layout, byte[] prefix, KeySpan span) {
        byte[] all = base(layout).putEncoded(prefix).toBytes();
        return span.isEmpty()
                ? new KeyRange(all, all)
                : new KeyRange(
                        base(layout).putEncoded(prefix).putEncoded(open(span.from())).toBytes(),
                        span.to() == null
                                ? Bytes.afterPrefix(all)
                                : base(layout)
                                        .putEncoded(prefix)
                                        .putEncoded(open(span.to()))
                                        .toBytes());
    }

    /** The first possible row after those with the root of this one. */
    static byte[] afterRoot(TupleLayout layout, byte[] row) {
        OrderedReader in = new OrderedReader(row, KIND_BYTES + Integer.BYTES);
        in.skip(layout.prefixBytes());
        in.skipString();
        byte[] after = Bytes.afterPrefix(java.util.Arrays.copyOf(row, in.position()));
        if (after == null) {
            throw new IllegalStateException("a row has no end");
        }
        return after;
    }

    static byte[] tuple(TupleLayout layout, byte[] prefix, String key) {
        OrderedWriter row =
                base(layout).putEncoded(prefix).putString(layout.root(key)).putInt(layout.id());
        return layout.host() == null ? row.toBytes() : row.putString(key).toBytes();
    }

    /** The key of the tuple of a row; null if the row belongs to another layout. */
    static @Nullable String keyOfTuple(TupleLayout layout, byte[] row) {
        OrderedReader in = new OrderedReader(row, KIND_BYTES + Integer.BYTES);
        in.skip(layout.prefixBytes());
        String root = in.takeString();
        if (in.takeInt() != layout.id()) {
            return null;
        }
        return layout.host() == null ? root : in.takeString();
    }

    /** The root, as UTF-8. */
    static byte[] rootOfTuple(TupleLayout layout, byte[] row) {
        OrderedReader in = new OrderedReader(row, KIND_BYTES + Integer.BYTES);
        in.skip(layout.prefixBytes());
        return in.takeStringBytes();
    }

    static byte[] key(int layout, String key) {
        return of(KEY).putInt(layout).putString(key).toBytes();
    }

    static KeyRange keys(int layout) {
        return KeyRange.ofPrefix(of(KEY).putInt(layout).toBytes());
    }

    static KeyRange keys(int layout, KeySpan span) {
        byte[] all = of(KEY).putInt(layout).toBytes();
        return span.isEmpty()
                ? new KeyRange(all, all)
                : new KeyRange(
                        of(KEY).putInt(layout).putEncoded(open(span.from())).toBytes(),
                        span.to() == null
                                ? Bytes.afterPrefix(all)
                                : of(KEY).putInt(layout).putEncoded(open(span.to())).toBytes());
    }

    static String keyOfKey(byte[] row) {
        return new OrderedReader(row, KIND_BYTES + Integer.BYTES).takeString();
    }

    static byte[] tag(int layout, Tag tag, String key) {
        return tags(layout, tag.dimension()).putString(tag.value()).putString(key).toBytes();
    }

    private static OrderedWriter tags(int layout, String dimension) {
        return of(TAG).putInt(layout).putString(dimension);
    }

    static KeyRange tags(int layout) {
        return KeyRange.ofPrefix(of(TAG).putInt(layout).toBytes());
    }

    /** The index entries of tags that may meet the condition. */
    static KeyRange tags(int layout, TagCondition condition) {
        byte[] dimension = tags(layout, condition.dimension()).toBytes();
        byte[] from =
                tags(layout, condition.dimension()).putEncoded(open(condition.from())).toBytes();
        byte[] end = condition.end();
        byte[] to =
                end == null
                        ? Bytes.afterPrefix(dimension)
                        : tags(layout, condition.dimension()).putEncoded(open(end)).toBytes();
        return new KeyRange(from, to);
    }

    /** A string without its end: comes before all strings that begin with it. */
    private static byte[] open(byte[] text) {
        byte[] closed = new OrderedWriter(text.length + 2).putString(text).toBytes();
        return java.util.Arrays.copyOf(closed, closed.length - 2);
    }

    static String keyOfTag(byte[] row) {
        OrderedReader in = new OrderedReader(row, KIND_BYTES + Integer.BYTES);
        in.skipString();
        in.skipString();
        return in.takeString();
    }

    /**
     * A row of a tuple.
     *
     * @param guarded whether concurrent writers of the tuple conflict on it; other rows are
     *     functions of these
     */
    record TupleRow(byte[] key, byte[] value, boolean guarded) {}

    /** All rows of a tuple in a layout. */
    static List<TupleRow> rows(TupleLayout layout, Tuple tuple, byte[] prefix) {
        List<TupleRow> rows = new ArrayList<>();
        rows.add(new TupleRow(tuple(layout, prefix, tuple.key()), encode(tuple), true));
        if (layout.keyIndexed()) {
            rows.add(new TupleRow(key(layout.id(), tuple.key()), prefix, true));
        }
        for (Tag tag : tuple.tags()) {
            if (layout.indexes(tag.dimension())) {
                rows.add(new TupleRow(tag(layout.id(), tag, tuple.key()), prefix, false));
            }
        }
        return rows;
    }

    static byte[] encode(Tuple tuple) {
        StoredTuple.Builder stored =
                StoredTuple.newBuilder()
                        .setRevision(tuple.revision())
                        .setValue(ByteString.copyFrom(tuple.value()));
        for (Tag tag : tuple.tags()) {
            stored.addTags(
                    StoredTag.newBuilder().setDimension(tag.dimension()).setValue(tag.value()));
        }
        return stored.build().toByteArray();
    }

    static Tuple decode(String key, byte[] value) {
        try {
            StoredTuple stored = StoredTuple.parseFrom(value);
            SortedSet<Tag> tags = new TreeSet<>();
            for (StoredTag tag : stored.getTagsList()) {
                tags.add(new Tag(tag.getDimension(), tag.getValue()));
            }
            return new Tuple(key, stored.getValue().toByteArray(), tags, stored.getRevision());
        } catch (InvalidProtocolBufferException damaged) {
            throw damaged(damaged);
        }
    }

    static PetrichorException damaged(Exception cause) {
        return PetrichorException.of(
                ErrorCode.INTERNAL, cause, "A row of a collection is damaged.");
    }
}
