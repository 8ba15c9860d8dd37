package petrichor.sql.h2;

import org.h2.api.TableEngine;
import org.h2.command.ddl.CreateTableData;
import org.h2.table.Table;
import org.jspecify.annotations.Nullable;

/**
 * Creates our tables. H2's own ones, such as its list of definitions and those of intermediate
 * results, stay in memory. H2 creates one instance per database.
 */
public final class StoredTableEngine implements TableEngine {
    private volatile @Nullable H2Catalog catalog;

    void attach(H2Catalog owner) {
        catalog = owner;
    }

    @Override
    public Table createTable(CreateTableData data) {
        H2Catalog owner = catalog;
        if (owner != null) {
            owner.created(data.session);
        }
        return owner == null || data.temporary
                ? data.session.getDatabase().getStore().createTable(data)
                : new RowTable(data, owner);
    }
}
