package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * Keeps only the last of several changes to the same key in a batch. A store that gives all of them
 * the same timestamp would let a deletion win over any other change of the key. The result contains
 * range deletions, and at most one change of each key, which follows every earlier range deletion
 * and is covered by no later one.
 */
final class LastChanges {
    private LastChanges() {}

    static List<WriteBatch.Op> of(List<WriteBatch.Op> ops) {
        if (ops.size() == 1) {
            return ops;
        }
        List<WriteBatch.Op> last = new ArrayList<>();
        Set<Bytes> changed = new HashSet<>();
        List<KeyRange> deleted = new ArrayList<>();
        for (WriteBatch.Op op : ops.reversed()) {
            boolean counts =
                    switch (op) {
                        case WriteBatch.Put put -> isLast(put.key(), changed, deleted);
                        case WriteBatch.Delete delete -> isLast(delete.key(), changed, deleted);
                        case WriteBatch.DeleteRange(_, KeyRange range) -> {
                            deleted.add(range);
                            yield true;
                        }
                    };
            if (counts) {
                last.add(op);
            }
        }
        return last.reversed();
    }

    private static boolean isLast(byte[] key, Set<Bytes> changed, List<KeyRange> deleted) {
        for (KeyRange range : deleted) {
            if (range.contains(key)) {
                return false;
            }
        }
        return changed.add(Bytes.of(key));
    }
}
