package petrichor.tuples;

import petrichor.base.PetrichorException;

/**
 * The end of a page, whichever comes first.
 *
 * @param tuples that it holds
 * @param bytes of their keys, values and tags; the last tuple may exceed it
 * @param rows that it reads
 */
record PageSize(int tuples, long bytes, int rows) {
    /**
     * @param asked number of tuples; 0 for the default
     */
    static PageSize of(int asked) {
        if (asked < 0 || asked > TupleLimits.PAGE_TUPLES_MAX) {
            throw PetrichorException.invalid(
                    "a page has at most {tuplesMax} tuples, not {tuples}.",
                    "tuplesMax",
                    TupleLimits.PAGE_TUPLES_MAX,
                    "tuples",
                    asked);
        }
        return new PageSize(
                asked == 0 ? TupleLimits.PAGE_TUPLES_DEFAULT : asked,
                TupleLimits.PAGE_BYTES_MAX,
                TupleLimits.PAGE_ROWS_MAX);
    }
}
