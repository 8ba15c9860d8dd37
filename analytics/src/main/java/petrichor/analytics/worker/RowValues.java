package petrichor.analytics.worker;

import com.google.datastore.v1.Entity;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityRow;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.PropertyType;
import petrichor.tables.RowSink;
import petrichor.tables.TableFormat;
import petrichor.tables.TableTransfer;

/** Decodes the stored rows of one source. */
interface RowValues {
    /** Passes the values of a row on, which is a part of the bytes. */
    void decode(byte[] bytes, int from, int to, RowSink sink);

    static RowValues of(Loads.Load load) {
        EntityColumns kind = load.source.kind();
        if (kind == null) {
            TableFormat format = new TableFormat(load.source.table());
            return (bytes, from, to, sink) ->
                    TableTransfer.decodeRow(format, bytes, from, to, sink);
        }
        int width = load.source.table().columns().size();
        return (bytes, from, to, sink) -> {
            Entity entity = EntityRow.entity(Arrays.copyOfRange(bytes, from, to));
            List<EntityColumns.Misfit> misfits = kind.misfits(entity);
            for (EntityColumns.Misfit misfit : misfits) {
                load.misfits.merge(misfit.property(), misfit.type(), PropertyType::with);
            }
            // With misfits, the load fails at its end.
            List<@Nullable Object> values = misfits.isEmpty() ? kind.values(entity) : List.of();
            for (int i = 0; i < width; i++) {
                Object value = i < values.size() ? values.get(i) : null;
                if (value == null) {
                    sink.nullValue(i);
                } else {
                    sink.value(i, value);
                }
            }
        };
    }
}
