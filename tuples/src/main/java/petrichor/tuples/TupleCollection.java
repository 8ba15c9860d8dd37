package petrichor.tuples;

import org.jspecify.annotations.Nullable;

/**
 * A collection as of a version.
 *
 * @param layout that is read
 * @param next the layout that replaces it, and that writes maintain, too; null if none does
 * @param failure why the last change of the placement failed; empty if it did not
 */
record TupleCollection(
        String name,
        int id,
        boolean tagIndex,
        TupleLayout layout,
        @Nullable TupleLayout next,
        String failure) {}
