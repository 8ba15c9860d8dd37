package petrichor.kv.ranges;

import java.util.List;
import petrichor.base.Bytes;

/**
 * The replacements of a partition. Written into the partition when it is sealed, so that any
 * process that finds it sealed can finish the split.
 *
 * @param table the rows' table
 * @param replaced the directory entry to remove
 * @param children the new entries, in order; together they cover the range of {@code replaced}
 */
public record SplitPlan(String table, RangeEntry replaced, List<RangeEntry> children) {
    public SplitPlan {
        children = List.copyOf(children);
        byte[] from = replaced.range().from();
        for (RangeEntry child : children) {
            if (Bytes.compare(child.range().from(), from) != 0) {
                throw new IllegalArgumentException("a split must leave no gap: " + children);
            }
            byte[] to = child.range().to();
            from = to == null ? from : to;
        }
        byte[] end = replaced.range().to();
        byte[] childrenEnd = children.getLast().range().to();
        if (end == null
                ? childrenEnd != null
                : childrenEnd == null || Bytes.compare(end, childrenEnd) != 0) {
            throw new IllegalArgumentException("a split must keep the range: " + children);
        }
    }
}
