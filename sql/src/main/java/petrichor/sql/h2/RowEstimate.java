package petrichor.sql.h2;

import org.h2.index.Index;
import org.h2.index.IndexCondition;
import org.h2.table.IndexColumn;
import org.jspecify.annotations.Nullable;

/**
 * Costs of reading a table, for H2's optimizer; the unit is one row of a scan. There are no
 * statistics: each table is assumed to have the same size, and each condition to leave a fixed
 * share of the rows. H2's own formula rates an index whose columns have three conditions like a
 * primary key of which two columns have one.
 */
final class RowEstimate {
    /** Rows of each table. */
    static final long ASSUMED_ROWS = 10_000;

    /** Shares of the rows that a condition on one column leaves: {@code =}, two bounds, one. */
    private static final double EQUAL = 0.1;

    private static final double BETWEEN = 0.25;
    private static final double ONE_BOUND = 0.35;

    /** Of each search of an index, however many rows it finds: a request to the store. */
    private static final double SEARCH_COST = 20;

    /** Of a row that is found through an entry of an index. */
    private static final double ENTRY_COST = 1.4;

    /** Of a row that is sorted. */
    private static final double SORT_COST = 2;

    /** Between indexes that leave equally many rows, the one with fewer columns is smaller. */
    private static final double UNUSED_COLUMN_COST = 0.01;

    private RowEstimate() {}

    /**
     * Rows that conditions on an index leave.
     *
     * @param masks of {@link IndexCondition}, by column; null if there are none
     */
    static double rows(Index index, int @Nullable [] masks) {
        if (masks == null || index.getIndexType().isScan()) {
            return ASSUMED_ROWS;
        }
        double rows = ASSUMED_ROWS;
        int equal = 0;
        for (IndexColumn part : index.getIndexColumns()) {
            int mask = masks[part.column.getColumnId()];
            if ((mask & IndexCondition.EQUALITY) != 0) {
                rows *= EQUAL;
                equal++;
                continue;
            }
            if ((mask & IndexCondition.RANGE) == IndexCondition.RANGE) {
                rows *= BETWEEN;
            } else if ((mask & IndexCondition.RANGE) != 0) {
                rows *= ONE_BOUND;
            }
            break;
        }
        boolean one = index.getIndexType().isUnique() && equal == index.getIndexColumns().length;
        return one ? 1 : Math.max(1, rows);
    }

    /**
     * @param entries whether rows are found through entries of an index
     * @param sorted whether they have to be sorted afterwards
     */
    static double cost(Index index, int @Nullable [] masks, boolean entries, boolean sorted) {
        double rows = rows(index, masks);
        double unused = index.getIndexType().isScan() ? 0 : unused(index, masks);
        return SEARCH_COST
                + rows * ((entries ? ENTRY_COST : 1) + (sorted ? SORT_COST : 0))
                + unused * UNUSED_COLUMN_COST;
    }

    private static int unused(Index index, int @Nullable [] masks) {
        int unused = 0;
        for (IndexColumn part : index.getIndexColumns()) {
            unused += masks == null || masks[part.column.getColumnId()] == 0 ? 1 : 0;
        }
        return unused;
    }
}
