package petrichor.tables;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object of the catalog: a schema, domain, sequence, table, index, constraint, view.
 *
 * @param id within the catalog
 * @param order objects are defined in ascending order: those of a lower one do not depend on those
 *     of a higher one
 * @param definition the statement that defines it
 * @param sequence identifies the state of a sequence; 0 if it is none
 * @param table how rows are stored, if it is a table
 */
public record CatalogObject(
        int id, int order, String definition, long sequence, @Nullable StoredTable table) {
    CatalogObject with(StoredTable changed) {
        return new CatalogObject(id, order, definition, sequence, changed);
    }

    boolean sameAs(CatalogObject other) {
        return order == other.order
                && definition.equals(other.definition)
                && sequence == other.sequence
                && Objects.equals(table, other.table);
    }
}
