package petrichor.sql.h2;

import com.google.datastore.v1.PartitionId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.h2.command.ddl.CreateTableData;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.schema.Schema;
import org.h2.table.Table;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.sql.entities.KindColumns;
import petrichor.sql.entities.Kinds;
import petrichor.sql.entities.PropertyType;
import petrichor.transactions.Snapshot;

/**
 * Schemas whose tables are the kinds of entities: {@code entities} for the default namespace,
 * {@code entities:NAME} for the others. They appear with the first statement that mentions them,
 * and their columns follow the entities with a delay of {@link #AGE_MAX}. Thread-safe.
 */
final class EntitySchemas {
    /** How old the columns of a kind may be. */
    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    private static final long AGE_MICROS_MAX = AGE_MAX.toNanos() / 1_000;

    private final H2Catalog catalog;
    private final SessionLocal owner;
    private final Map<String, KindSchema> schemas = new HashMap<>();
    private final Map<String, Map<String, Map<String, PropertyType>>> widened = new HashMap<>();
    private long namespacesRead;

    EntitySchemas(H2Catalog catalog, SessionLocal owner) {
        this.catalog = catalog;
        this.owner = owner;
    }

    static boolean mentioned(String text) {
        return text.toLowerCase(Locale.ROOT).contains(Kinds.SCHEMA);
    }

    /** Before sessions use the catalog: later, a schema change may hold the lock of H2's list. */
    synchronized void open() {
        define("");
    }

    /** Finds new namespaces and kinds, and new properties of the kinds in use. */
    synchronized void refresh() {
        long now = TimeSource.SYSTEM.epochMicros();
        if (namespacesRead == 0 || now - namespacesRead > AGE_MICROS_MAX) {
            try (Snapshot snapshot = catalog.store().database().snapshot()) {
                Kinds kinds = new Kinds(snapshot);
                define("");
                kinds.namespaces().forEach(this::define);
                schemas.values().forEach(schema -> schema.refresh(kinds));
            }
            namespacesRead = now;
        }
    }

    private void define(String namespace) {
        if (schemas.containsKey(namespace)) {
            return;
        }
        Database database = catalog.database();
        KindSchema schema = new KindSchema(database, namespace);
        // Temporary objects are not written to H2's own list of definitions.
        schema.setTemporary(true);
        if (database.findSchema(schema.getName()) == null) {
            database.addDatabaseObject(owner, schema);
            // A commit releases the lock only if a row was written.
            database.unlockMeta(owner);
        }
        schemas.put(namespace, schema);
    }

    /** From now on, the column of the property has a type for these values, too. */
    synchronized void widen(EntityTable table, String property, PropertyType type) {
        widened.computeIfAbsent(table.home().getNamespaceId(), _ -> new HashMap<>())
                .computeIfAbsent(table.kind(), _ -> new HashMap<>())
                .put(property, type);
        namespacesRead = 0;
    }

    private synchronized Map<String, PropertyType> widened(String namespace, String kind) {
        return Map.copyOf(widened.getOrDefault(namespace, Map.of()).getOrDefault(kind, Map.of()));
    }

    private PartitionId home(String namespace) {
        return Kinds.home(catalog.store().database().name(), namespace);
    }

    /** The kinds of one namespace. Thread-safe. */
    private final class KindSchema extends Schema {
        private final String namespace;
        private volatile List<String> kinds = List.of();
        private final Map<String, EntityTable> tables = new TreeMap<>();

        KindSchema(Database database, String namespace) {
            super(
                    database,
                    database.allocateObjectId(),
                    Kinds.schema(namespace),
                    owner.getUser(),
                    true);
            this.namespace = namespace;
        }

        void refresh(Kinds source) {
            kinds = source.kinds(namespace);
            synchronized (tables) {
                boolean changed = tables.keySet().retainAll(kinds);
                for (EntityTable table : List.copyOf(tables.values())) {
                    KindColumns columns = columns(source, table.kind());
                    if (!columns.equals(table.kindColumns())) {
                        tables.put(table.kind(), open(table.kind(), columns));
                        changed = true;
                    }
                }
                if (changed) {
                    // Statements that were compiled with the former columns are compiled again.
                    long _ = database.getNextModificationMetaId();
                }
            }
        }

        private KindColumns columns(Kinds source, String kind) {
            return source.columns(namespace, kind, widened(namespace, kind));
        }

        private EntityTable open(String kind, KindColumns columns) {
            return EntityTable.open(catalog, this, owner, home(namespace), kind, columns);
        }

        /** By its exact name, or by its name in any case if only one kind has that. */
        private @Nullable String kind(String name) {
            List<String> known = kinds;
            if (known.contains(name)) {
                return name;
            }
            List<String> similar = known.stream().filter(name::equalsIgnoreCase).toList();
            return similar.size() == 1 ? similar.getFirst() : null;
        }

        @Override
        public @Nullable Table findTableOrView(SessionLocal session, String name) {
            String kind = kind(name);
            if (kind == null) {
                return null;
            }
            synchronized (tables) {
                EntityTable known = tables.get(kind);
                if (known == null) {
                    try (Snapshot snapshot = catalog.store().database().snapshot()) {
                        known = open(kind, columns(new Kinds(snapshot), kind));
                    }
                    tables.put(kind, known);
                }
                return known;
            }
        }

        @Override
        public @Nullable Table resolveTableOrView(SessionLocal session, String name) {
            return findTableOrView(session, name);
        }

        @Override
        public @Nullable Table resolveTableOrView(
                SessionLocal session, String name, boolean resolveMaterialized) {
            return findTableOrView(session, name);
        }

        @Override
        public Table getTableOrView(SessionLocal session, String name) {
            Table found = findTableOrView(session, name);
            return found == null ? super.getTableOrView(session, name) : found;
        }

        @Override
        public @Nullable Table getTableOrViewByName(SessionLocal session, String name) {
            return findTableOrView(session, name);
        }

        @Override
        public List<Table> getAllTablesAndViews(@Nullable SessionLocal session) {
            return kinds.stream()
                    .map(kind -> findTableOrView(owner, kind))
                    .filter(Objects::nonNull)
                    .toList();
        }

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public Table createTable(CreateTableData data) {
            throw H2Errors.unsupported(
                    "creating a table among entities: a kind appears with its first entity");
        }
    }
}
