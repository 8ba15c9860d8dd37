package petrichor.entities.changes;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.util.Optional;
import petrichor.entities.EntityRow;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;

/** An entity that a commit inserted, updated or deleted; decoded on request. */
public record EntityChange(Key key, RowChange rows) {
    public EntityChange {
        if (key.getPathCount() == 0) {
            throw new IllegalArgumentException("an entity has a path");
        }
    }

    /** The entity that the commit replaced or deleted. */
    public Optional<Entity> before() {
        return Optional.ofNullable(rows.before()).map(row -> EntityRow.entity(row.value()));
    }

    /** The entity as the commit wrote it; empty if it was deleted. */
    public Optional<Entity> after() {
        return Optional.ofNullable(rows.after()).map(row -> EntityRow.entity(row.value()));
    }

    /** Version of the replaced entity; 0 if there was none. */
    public long beforeVersion() {
        Row before = rows.before();
        return before == null ? 0 : before.version();
    }
}
