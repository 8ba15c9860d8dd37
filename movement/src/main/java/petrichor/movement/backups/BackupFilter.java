package petrichor.movement.backups;

import com.google.datastore.v1.Key;
import java.util.List;
import java.util.Optional;
import petrichor.entities.RowLayout;
import petrichor.kv.KeyRange;
import petrichor.tables.StoredTables;

/**
 * What a restore concerns: everything, or some entities.
 *
 * @param kind only entities of this kind
 * @param namespace only entities in this namespace; "" is the default one
 * @param key only the entity with this key and its descendants
 */
public record BackupFilter(Optional<String> kind, Optional<String> namespace, Optional<Key> key) {
    public static final BackupFilter ALL =
            new BackupFilter(Optional.empty(), Optional.empty(), Optional.empty());

    /** The rows among which they are, in order: entities, and tables if everything is selected. */
    List<KeyRange> ranges() {
        KeyRange entities =
                key.map(one -> KeyRange.ofPrefix(RowLayout.entityRow(one)))
                        .or(() -> namespace.map(RowLayout::entities))
                        .orElseGet(RowLayout::entities);
        return equals(ALL) ? List.of(entities, StoredTables.rows()) : List.of(entities);
    }

    /** Whether a row of the range is selected. */
    boolean selects(byte[] row) {
        if (kind.isEmpty()) {
            return true;
        }
        Key own = RowLayout.entityKey("-", "", row);
        return own.getPath(own.getPathCount() - 1).getKind().equals(kind.get());
    }

    static byte[] end(KeyRange range) {
        byte[] end = range.to();
        if (end == null) {
            throw new IllegalStateException("rows of entities have an end");
        }
        return end;
    }
}
