package petrichor.tuples;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A tuple of a collection; immutable.
 *
 * @param value owned by the tuple
 * @param revision microseconds since 1970, increases with each write of the tuple, and differs from
 *     those of deleted tuples with the same key
 */
public record Tuple(String key, byte[] value, SortedSet<Tag> tags, long revision) {
    private static final int TAG_OVERHEAD_BYTES = 4;

    public Tuple {
        tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
    }

    static void require(String key, byte[] value, Collection<Tag> tags) {
        requireKey(key);
        if (value.length > TupleLimits.VALUE_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the value of the tuple {key} has {bytes} bytes; at most {bytesMax} are"
                            + " allowed.",
                    "key",
                    BoundedText.shown(key),
                    "bytes",
                    value.length,
                    "bytesMax",
                    TupleLimits.VALUE_BYTES_MAX);
        }
        if (tags.size() > TupleLimits.TAGS_MAX) {
            throw PetrichorException.invalid(
                    "the tuple {key} has {tags} tags; at most {tagsMax} are allowed.",
                    "key",
                    BoundedText.shown(key),
                    "tags",
                    tags.size(),
                    "tagsMax",
                    TupleLimits.TAGS_MAX);
        }
    }

    static void requireKey(String key) {
        BoundedText.require("the key of a tuple", key, TupleLimits.KEY_BYTES_MAX);
    }

    /** Bytes of key, value and tags, at most. */
    public int bytes() {
        return bytes(key, value, tags);
    }

    static int bytes(String key, byte[] value, Collection<Tag> tags) {
        int bytes = 3 * key.length() + value.length;
        for (Tag tag : tags) {
            bytes += tag.dimension().length() + 3 * tag.value().length() + TAG_OVERHEAD_BYTES;
        }
        return bytes;
    }

    /** The first value of a dimension; null if the tuple has no tag in it. */
    @Nullable String first(String dimension) {
        for (Tag tag : tags) {
            if (tag.dimension().equals(dimension)) {
                return tag.value();
            }
        }
        return null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Tuple tuple
                && key.equals(tuple.key)
                && Arrays.equals(value, tuple.value)
                && tags.equals(tuple.tags)
                && revision == tuple.revision;
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + Long.hashCode(revision);
    }
}
