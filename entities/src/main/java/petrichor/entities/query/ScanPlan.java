package petrichor.entities.query;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.entities.IndexDefinition.Column;

/**
 * The plan of one conjunction: scans several indexes at once for the <em>suffixes</em> (columns and
 * path, the bytes after the prefix of a row) that all of them contain.
 *
 * @param scans at least one; their rows have the same columns after their prefixes
 * @param columns of a suffix, in the order in which the rows keep them
 * @param reverse whether rows are scanned from last to first
 * @param bounds of the suffixes to scan
 * @param filters by column, for conditions that the bounds cannot express
 * @param keys paths that are results; unrestricted unless the bounds cannot express it
 * @param constants by column of the query's shape: the encoded value (in the shape's direction) of
 *     a property that this conjunction fixes; such a column is missing in the suffix
 */
record ScanPlan(
        List<IndexScan> scans,
        List<Column> columns,
        boolean reverse,
        Interval bounds,
        Map<Integer, Interval> filters,
        Interval keys,
        List<byte @Nullable []> constants) {

    /**
     * One index of the plan.
     *
     * @param index id of the composite index; 0 for a built-in one
     * @param name for the plan shown to users: columns in parentheses
     * @param ancestors whether the index has entries under each ancestor
     * @param prefix of its rows, including equal values and the ancestor
     */
    record IndexScan(int index, String name, boolean ancestors, byte[] prefix, Source source) {}

    /** Kind of rows that an index scan reads. */
    enum Source {
        ENTITIES,
        KIND,
        PROPERTY,
        COMPOSITE
    }
}
