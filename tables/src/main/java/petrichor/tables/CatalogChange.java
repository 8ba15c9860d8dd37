package petrichor.tables;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of the catalog let open transactions commit: those after which a transaction that
 * reads and writes as the former version describes leaves nothing that is wrong in the new one.
 */
final class CatalogChange {
    private CatalogChange() {}

    /**
     * Whether transactions of both versions may commit at the same time. Check constraints and
     * foreign keys are not considered.
     */
    static boolean coexist(CatalogImage former, CatalogImage changed) {
        for (StoredTable table : former.tables()) {
            StoredTable now = changed.table(table.id());
            if (now == null || !coexist(table, now)) {
                return false;
            }
        }
        return sequences(changed).containsAll(sequences(former));
    }

    private static Set<Long> sequences(CatalogImage image) {
        Set<Long> sequences = new HashSet<>();
        for (CatalogObject object : image.objects().values()) {
            if (object.sequence() != 0) {
                sequences.add(object.sequence());
            }
        }
        return sequences;
    }

    private static boolean coexist(StoredTable former, StoredTable changed) {
        if (!former.primaryKey().equals(changed.primaryKey())) {
            return false;
        }
        for (StoredColumn column : changed.columns()) {
            int position = former.position(column.id());
            StoredColumn before = position < 0 ? null : former.columns().get(position);
            if (!coexist(before, column)) {
                return false;
            }
        }
        for (StoredIndex index : changed.indexes()) {
            if (!coexist(former.index(index.id()), index)) {
                return false;
            }
        }
        for (StoredIndex index : former.indexes()) {
            if (changed.index(index.id()) == null) {
                return false; // it would read entries that are no longer written
            }
        }
        return true;
    }

    /** A row without an added column has its missing value. */
    private static boolean coexist(@Nullable StoredColumn former, StoredColumn changed) {
        if (former == null) {
            return changed.nullable() || changed.missing() != null;
        }
        return former.type().equals(changed.type())
                && (changed.nullable() || !former.nullable())
                && Objects.deepEquals(former.missing(), changed.missing());
    }

    private static boolean coexist(@Nullable StoredIndex former, StoredIndex changed) {
        if (former == null) {
            return changed.state() == StoredIndex.State.DELETE_ONLY;
        }
        return former.unique() == changed.unique()
                && former.parts().equals(changed.parts())
                && (former.state() == changed.state() || next(former.state()) == changed.state());
    }

    private static StoredIndex.State next(StoredIndex.State state) {
        return switch (state) {
            case DELETE_ONLY -> StoredIndex.State.WRITE_ONLY;
            case WRITE_ONLY -> StoredIndex.State.BACKFILL;
            case BACKFILL, READABLE -> StoredIndex.State.READABLE;
        };
    }
}
