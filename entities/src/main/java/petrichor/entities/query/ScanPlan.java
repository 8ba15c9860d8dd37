package petrichor.entities.query;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.entities.IndexDefinition.Column;

/**
 * How one conjunction is answered: by walking several indexes at once over those <em>suffixes</em>
 * (columns and path, what follows the prefix in a row) that all of them have.
 *
 * @param scans at least one; their rows have the same columns after their prefixes
 * @param columns of a suffix, in the order in which the rows keep them
 * @param reverse whether rows are walked from the last to the first
 * @param bounds of the suffixes to be walked
 * @param filters by column, for what the bounds can't express
 * @param keys paths that are results; everything unless the bounds can't express it
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
     * @param index id of the composite index; 0 for one that is always there
     * @param name for the plan that users see: columns in parentheses
     * @param ancestors whether the index has entries under each ancestor
     * @param prefix what its rows start with, including equal values and the ancestor
     */
    record IndexScan(int index, String name, boolean ancestors, byte[] prefix, Source source) {}

    /** What kind of rows an index scan walks. */
    enum Source {
        ENTITIES,
        KIND,
        PROPERTY,
        COMPOSITE
    }
}
