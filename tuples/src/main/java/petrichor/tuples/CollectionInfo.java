package petrichor.tuples;

import java.util.Optional;

/**
 * What is known about a collection.
 *
 * @param tagIndex whether tags that do not determine positions have index entries
 * @param layout changes with each change of the placement
 * @param change the change of the placement that is in progress
 * @param failure why the last change of the placement failed; empty if it did not
 */
public record CollectionInfo(
        String name,
        boolean tagIndex,
        TuplePlacement placement,
        int layout,
        Optional<Change> change,
        String failure) {

    /**
     * A change of the placement.
     *
     * @param placement after the change
     * @param tuples that have been copied
     */
    public record Change(TuplePlacement placement, long tuples) {}
}
