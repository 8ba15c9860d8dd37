package petrichor.sql.catalog;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.CatalogDatabase;
import petrichor.sql.h2.Definitions;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Session;

/**
 * The system catalogs of one version of a catalog. Computed by the first query, and again when
 * kinds of entities have changed. Thread-safe.
 */
public final class SystemCatalog implements AutoCloseable {
    /** Name in SQL, and that of the method if it is another one. */
    private static final List<String> FUNCTIONS =
            List.of(
                    "current_database",
                    "session_user_name",
                    "current_schema",
                    "current_schemas",
                    "pg_advisory_unlock_all",
                    "current_setting",
                    "set_config",
                    "version",
                    "regclass_oid",
                    "regclass_name",
                    "to_regclass",
                    "regtype_oid",
                    "regtype_name",
                    "to_regtype",
                    "regproc_oid",
                    "regproc_name",
                    "regnamespace_oid",
                    "regnamespace_name",
                    "format_type",
                    "quote_ident",
                    "pg_get_userbyid",
                    "pg_encoding_to_char",
                    "pg_table_is_visible",
                    "pg_type_is_visible=always_visible",
                    "pg_function_is_visible=always_visible",
                    "pg_collation_is_visible=always_visible",
                    "pg_operator_is_visible=always_visible",
                    "pg_opclass_is_visible=always_visible",
                    "pg_relation_is_publishable=always_visible",
                    "pg_get_expr",
                    "pg_get_constraintdef",
                    "pg_get_indexdef",
                    "pg_get_viewdef",
                    "pg_get_serial_sequence",
                    "pg_get_triggerdef=no_text",
                    "pg_get_ruledef=no_text",
                    "pg_get_partkeydef=no_text",
                    "pg_get_function_result=no_text",
                    "pg_get_function_arguments=no_text",
                    "pg_get_function_identity_arguments=no_text",
                    "pg_get_statisticsobjdef_columns=no_text",
                    "pg_partition_ancestors=no_text",
                    "obj_description",
                    "col_description",
                    "shobj_description=no_text_in",
                    "has_table_privilege=privilege",
                    "has_schema_privilege=privilege",
                    "has_database_privilege=privilege",
                    "has_sequence_privilege=privilege",
                    "pg_is_in_recovery=no",
                    "pg_table_size=zero",
                    "pg_relation_size=zero",
                    "pg_total_relation_size=zero",
                    "pg_size_pretty",
                    "pg_backend_pid=backend",
                    "array_upper",
                    "array_lower",
                    "array_to_string",
                    "text_array",
                    "number_at",
                    "vector_at",
                    "json_text");

    /** Before their names in H2, so that they differ from H2's own functions. */
    private static final String CALLED = "system_";

    private static final Set<String> NAMES =
            FUNCTIONS.stream()
                    .map(function -> function.replaceFirst("=.*", ""))
                    .collect(Collectors.toUnmodifiableSet());

    private final H2Catalog catalog;
    private final TypeNames types = new TypeNames();
    private @Nullable Content content;

    private record Content(
            Definitions definitions, CatalogDatabase database, CatalogState.Objects objects) {}

    private SystemCatalog(H2Catalog catalog) {
        this.catalog = catalog;
    }

    /** The name in H2 of a function; of another one, its own. */
    static String function(String name) {
        return NAMES.contains(name) ? CALLED + name : name;
    }

    /** Closed with the catalog. */
    public static SystemCatalog of(H2Catalog catalog) {
        return catalog.companion(SystemCatalog.class, () -> new SystemCatalog(catalog));
    }

    private synchronized Content content(SessionView session) {
        Definitions now = Definitions.of(catalog);
        Content known = content;
        if (known != null && known.definitions().equals(now)) {
            return known;
        }
        if (known != null) {
            known.database().close();
        }
        CatalogRows rows = new CatalogRows(types);
        ConstantRows.constants(rows, session.database(), List.of(session.user()));
        rows.fill(now);
        CatalogDatabase database = new CatalogDatabase();
        TypeNames.lines("relations.sql").forEach(database::define);
        FUNCTIONS.forEach(function -> database.define(alias(function)));
        insert(database, rows);
        for (String view : TypeNames.lines("views.sql")) {
            database.define(CatalogQuery.of(view).text());
        }
        Content filled = new Content(now, database, rows.objects());
        content = filled;
        return filled;
    }

    private static String alias(String function) {
        int equals = function.indexOf('=');
        String name = equals < 0 ? function : function.substring(0, equals);
        String method = equals < 0 ? function : function.substring(equals + 1);
        return "CREATE ALIAS "
                + CALLED
                + name
                + " FOR '"
                + CatalogFunctions.class.getName()
                + "."
                + method
                + "'";
    }

    private static void insert(CatalogDatabase database, CatalogRows rows) {
        Map<String, List<List<@Nullable Object>>> byStatement = new LinkedHashMap<>();
        for (CatalogRows.Inserted row : rows.rows()) {
            List<String> names = List.copyOf(row.values().keySet());
            String statement =
                    "INSERT INTO "
                            + row.relation()
                            + " (\""
                            + String.join("\", \"", names)
                            + "\") VALUES ("
                            + String.join(", ", Collections.nCopies(names.size(), "?"))
                            + ")";
            byStatement
                    .computeIfAbsent(statement, _ -> new ArrayList<>())
                    .add(new ArrayList<>(row.values().values()));
        }
        byStatement.forEach(database::insert);
    }

    /** What a query needs and returns. */
    public H2Session.Description describe(SessionView session, CatalogQuery query) {
        Content now = content(session);
        return ScopedValue.where(CatalogState.CURRENT, new CatalogState(now.objects(), session))
                .call(() -> now.database().describe(query.text()));
    }

    public CatalogDatabase.Found query(
            SessionView session, CatalogQuery query, List<@Nullable Object> parameters) {
        Content now = content(session);
        return ScopedValue.where(CatalogState.CURRENT, new CatalogState(now.objects(), session))
                .call(() -> now.database().query(query.text(), parameters));
    }

    @Override
    public synchronized void close() {
        Content known = content;
        if (known != null) {
            known.database().close();
            content = null;
        }
    }
}
