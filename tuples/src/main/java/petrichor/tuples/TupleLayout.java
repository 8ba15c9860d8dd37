package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.placement.curve.CurveCover;
import petrichor.placement.curve.HilbertCurve;

/**
 * A placement of a collection, with everything that it depends on; never changes. Rows of a layout
 * have its id in their keys.
 *
 * @param id unique in the database
 * @param collection whose assignments of groups apply
 * @param tagIndex whether tags have index entries
 * @param buckets of each dimension of a tagged placement
 * @param host the layout between whose rows those of a colocated placement lie
 */
record TupleLayout(
        int id,
        int collection,
        TuplePlacement placement,
        boolean tagIndex,
        List<TagBuckets> buckets,
        @Nullable TupleLayout host) {
    private static final int BUCKET_PREFIX_BYTES = 1;
    private static final int GROUP_PREFIX_BYTES = 2;

    TupleLayout {
        buckets = List.copyOf(buckets);
        if ((placement instanceof TuplePlacement.Colocated) != (host != null)) {
            throw new IllegalArgumentException("exactly a colocated placement has a host");
        }
        if (host != null && host.base().placement() instanceof TuplePlacement.Tagged) {
            throw PetrichorException.of(
                    petrichor.base.ErrorCode.FAILED_PRECONDITION,
                    "A collection cannot be colocated with one whose placement is tagged, because"
                            + " tuples would move with the tags of others; use the same tags and"
                            + " dimensions in both collections.");
        }
    }

    /** The layout that determines the position of rows. */
    TupleLayout base() {
        TupleLayout layout = this;
        while (layout.host != null) {
            layout = layout.host;
        }
        return layout;
    }

    /** Whether rows from keys to positions exist, in the order of the keys. */
    boolean keyIndexed() {
        return switch (placement) {
            case TuplePlacement.Hashed _, TuplePlacement.Ordered _ -> false;
            case TuplePlacement.Tagged _, TuplePlacement.Affinity _, TuplePlacement.Colocated _ ->
                    true;
        };
    }

    /** Whether tags of the dimension have index entries. */
    boolean indexes(String dimension) {
        return tagIndex && dimension(dimension) < 0;
    }

    /** The place of a dimension on the curve; -1 if it has none. */
    int dimension(String dimension) {
        return placement instanceof TuplePlacement.Tagged tagged
                ? tagged.dimensions().indexOf(dimension)
                : -1;
    }

    /** The key of the tuple of the base beside which the row is stored. */
    String root(String key) {
        return placement instanceof TuplePlacement.Colocated colocated && host != null
                ? host.root(colocated.hostKey(key))
                : key;
    }

    /** The key to which a group is assigned; null if groups do not matter. */
    @Nullable String affinityKey(String key) {
        return base().placement instanceof TuplePlacement.Affinity affinity
                ? affinity.affinityKey(root(key))
                : null;
    }

    int prefixBytes() {
        return switch (base().placement) {
            case TuplePlacement.Hashed _ -> BUCKET_PREFIX_BYTES;
            case TuplePlacement.Ordered _ -> 0;
            case TuplePlacement.Tagged _ -> Integer.BYTES;
            case TuplePlacement.Affinity _ -> GROUP_PREFIX_BYTES;
            case TuplePlacement.Colocated _ -> throw new IllegalStateException("a base has a host");
        };
    }

    /**
     * What precedes the key in the key of the row.
     *
     * @param assigned the group of the affinity key; null if none is assigned
     */
    byte[] prefix(String key, SortedSet<Tag> tags, @Nullable Integer assigned) {
        return switch (base().placement) {
            case TuplePlacement.Hashed(int count) ->
                    bucketPrefix(StableHash.bucket(root(key), count));
            case TuplePlacement.Ordered _ -> new byte[0];
            case TuplePlacement.Tagged tagged -> curvePrefix(position(tagged, key, tags));
            case TuplePlacement.Affinity affinity -> {
                int group =
                        assigned == null
                                ? StableHash.bucket(
                                        affinity.affinityKey(root(key)), affinity.groups())
                                : Math.floorMod(assigned, affinity.groups());
                yield new byte[] {(byte) (group >> Byte.SIZE), (byte) group};
            }
            case TuplePlacement.Colocated _ -> throw new IllegalStateException("a base has a host");
        };
    }

    static byte[] bucketPrefix(int bucket) {
        return new byte[] {(byte) bucket};
    }

    static byte[] curvePrefix(long position) {
        return new OrderedWriter(Integer.BYTES).putInt((int) position).toBytes();
    }

    private static HilbertCurve curve(TuplePlacement.Tagged tagged) {
        return new HilbertCurve(tagged.dimensions().size(), tagged.bits());
    }

    private long position(TuplePlacement.Tagged tagged, String key, SortedSet<Tag> tags) {
        int[] point = new int[tagged.dimensions().size()];
        boolean[] seen = new boolean[point.length];
        for (Tag tag : tags) {
            int dimension = tagged.dimensions().indexOf(tag.dimension());
            if (dimension < 0) {
                continue;
            }
            if (seen[dimension]) {
                throw PetrichorException.invalid(
                        "the tuple {key} has several tags in the dimension {dimension}, which"
                                + " determines its position; use one.",
                        "key",
                        BoundedText.shown(key),
                        "dimension",
                        tag.dimension());
            }
            seen[dimension] = true;
            point[dimension] = buckets.get(dimension).bucket(tag.value());
        }
        return curve(tagged).index(point);
    }

    /**
     * The intervals of the curve that may hold tuples that meet all these conditions, if one of
     * them is in a dimension of the curve; otherwise null.
     */
    @Nullable List<CurveCover.Interval> intervals(List<TagCondition> conditions) {
        if (!(placement instanceof TuplePlacement.Tagged tagged)) {
            return null;
        }
        int[] low = new int[tagged.dimensions().size()];
        int[] high = new int[low.length];
        java.util.Arrays.fill(high, (1 << tagged.bits()) - 1);
        boolean bounded = false;
        for (TagCondition condition : conditions) {
            int k = tagged.dimensions().indexOf(condition.dimension());
            if (k < 0) {
                continue;
            }
            bounded = true;
            TagBuckets of = buckets.get(k);
            switch (condition) {
                case TagCondition.Is is -> {
                    low[k] = Math.max(low[k], of.bucket(is.value()));
                    high[k] = Math.min(high[k], of.bucket(is.value()));
                }
                case TagCondition.Like like -> {
                    low[k] = Math.max(low[k], of.bucket(like.prefix()));
                    high[k] = Math.min(high[k], of.lastBucket(like.prefix()));
                }
                case TagCondition.Between between -> {
                    low[k] = Math.max(low[k], of.bucket(between.first()));
                    high[k] = Math.min(high[k], of.bucket(between.last()));
                }
            }
            if (low[k] > high[k]) {
                return new ArrayList<>();
            }
        }
        return bounded
                ? CurveCover.of(curve(tagged), low, high, TupleLimits.CURVE_INTERVALS_MAX)
                : null;
    }
}
