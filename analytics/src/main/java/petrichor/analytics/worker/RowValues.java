package petrichor.analytics.worker;

import com.google.datastore.v1.Entity;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityRow;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.PropertyType;
import petrichor.tables.TableFormat;
import petrichor.tables.TableTransfer;

/** Decodes the stored rows of one source. */
interface RowValues {
    /** One value per column. */
    @Nullable Object[] values(byte[] stored);

    static RowValues of(Loads.Load load) {
        EntityColumns kind = load.source.kind();
        if (kind == null) {
            TableFormat format = new TableFormat(load.source.table());
            return stored -> TableTransfer.decodeRow(format, stored);
        }
        int width = load.source.table().columns().size();
        return stored -> {
            Entity entity = EntityRow.entity(stored);
            List<EntityColumns.Misfit> misfits = kind.misfits(entity);
            if (!misfits.isEmpty()) {
                for (EntityColumns.Misfit misfit : misfits) {
                    load.misfits.merge(misfit.property(), misfit.type(), PropertyType::with);
                }
                return new @Nullable Object[width]; // the load fails at its end
            }
            return kind.values(entity).toArray();
        };
    }
}
