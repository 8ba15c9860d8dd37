package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.h2.api.ErrorCode;
import org.h2.engine.SessionLocal;
import org.h2.message.DbException;
import org.h2.schema.Schema;
import org.h2.table.Table;

/** Finds tables as statements do. */
final class NamedTables {
    private NamedTables() {}

    /**
     * @param names with or without the schema
     */
    static Table find(SessionLocal session, List<String> names) {
        String name = names.getLast();
        List<String> schemas = new ArrayList<>();
        if (names.size() > 1) {
            schemas.add(names.get(names.size() - 2));
        } else {
            schemas.add(session.getCurrentSchemaName());
            String[] path = session.getSchemaSearchPath();
            schemas.addAll(path == null ? List.of() : Arrays.asList(path));
        }
        for (String each : schemas) {
            Schema schema = session.getDatabase().findSchema(each);
            Table found = schema == null ? null : schema.findTableOrView(session, name);
            if (found != null) {
                return found;
            }
        }
        throw DbException.get(ErrorCode.TABLE_OR_VIEW_NOT_FOUND_1, name);
    }
}
