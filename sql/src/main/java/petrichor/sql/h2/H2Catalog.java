package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.h2.command.Prepared;
import org.h2.constraint.Constraint;
import org.h2.engine.Comment;
import org.h2.engine.ConnectionInfo;
import org.h2.engine.Database;
import org.h2.engine.DbObject;
import org.h2.engine.Engine;
import org.h2.engine.Mode;
import org.h2.engine.Right;
import org.h2.engine.SessionLocal;
import org.h2.engine.User;
import org.h2.message.DbException;
import org.h2.schema.Schema;
import org.h2.schema.SchemaObject;
import org.h2.schema.Sequence;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.table.TableFilter;
import org.h2.table.TableView;
import org.h2.value.DataType;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.tables.CatalogImage;
import petrichor.tables.CatalogObject;
import petrichor.tables.StoredTable;
import petrichor.tables.TableStore;
import petrichor.tables.TableTransaction;

/**
 * H2's view of one version of the catalog: an H2 database in memory that holds definitions and no
 * rows. Thread-safe while its definitions do not change; a schema change has an instance of its
 * own.
 */
public final class H2Catalog implements AutoCloseable {
    static {
        H2Properties.set();
    }

    private static final String URL =
            "jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
                    + ";DB_CLOSE_DELAY=-1;QUERY_CACHE_SIZE=256;NON_KEYWORDS=VALUE,KEY,DAY,MONTH,"
                    + "YEAR,HOUR,MINUTE,SECOND;DEFAULT_TABLE_ENGINE="
                    + StoredTableEngine.class.getName();

    private static final String OWNER = "petrichor";

    private static final int ORDER_SCHEMA = 2;
    private static final int ORDER_DOMAIN = 4;
    private static final int ORDER_SEQUENCE = 5;
    private static final int ORDER_CONSTANT = 6;
    private static final int ORDER_TABLE = 7;
    private static final int ORDER_INDEX = 8;
    private static final int ORDER_CONSTRAINT = 9;
    private static final int ORDER_REFERENCE = 10;
    private static final int ORDER_VIEW = 11;
    private static final int ORDER_COMMENT = 12;

    private final TableStore store;
    private final CatalogImage image;
    private final SessionLocal owner;
    private final AtomicInteger nextId;
    private final AtomicInteger nextSession = new AtomicInteger(1_000);
    private final Map<String, StoredTable> replayedTables = new HashMap<>();
    private final Map<Integer, RowSession> sessions = new ConcurrentHashMap<>();
    private final DefinedSequences sequences;
    private final EntitySchemas entities;
    private @Nullable AutoCloseable companion;
    private volatile ConstraintShapes constraints;
    private boolean replaying = true;
    private volatile boolean closed;

    private H2Catalog(TableStore store, CatalogImage image) {
        this.store = store;
        this.image = image;
        this.sequences = new DefinedSequences(store);
        this.nextId = new AtomicInteger(image.nextId());
        Map<String, DataType> types = Mode.getInstance("PostgreSQL").typeByNameMap;
        synchronized (types) {
            types.put("TEXT", DataType.getDataType(Value.VARCHAR));
            types.put("TIMESTAMPTZ", DataType.getDataType(Value.TIMESTAMP_TZ));
            types.put("TIMETZ", DataType.getDataType(Value.TIME_TZ));
            types.put("NAME", DataType.getDataType(Value.VARCHAR));
            types.put("BPCHAR", DataType.getDataType(Value.VARCHAR));
        }
        this.owner =
                Engine.createSession(new ConnectionInfo(URL, new Properties(), OWNER, new char[0]));
        this.entities = new EntitySchemas(this, owner);
        this.constraints = ConstraintShapes.of(owner.getDatabase());
        Database database = database();
        synchronized (database) {
            String engine = StoredTableEngine.class.getName();
            ((StoredTableEngine) database.getTableEngine(engine)).attach(this);
            SystemFunctions.define(database);
            RowFunctionTable.define(database);
        }
    }

    /** Takes some milliseconds, and more for each definition. */
    public static H2Catalog open(TableStore store, CatalogImage image) {
        H2Catalog catalog = new H2Catalog(store, image);
        try {
            catalog.replay();
        } catch (RuntimeException failed) {
            catalog.close();
            throw H2Errors.translate(failed, List.of());
        }
        return catalog;
    }

    private void replay() {
        for (StoredTable table : image.tables()) {
            replayedTables.put(name(table.schema(), table.name()), table);
        }
        List<CatalogObject> objects = new ArrayList<>(image.objects().values());
        objects.sort(
                Comparator.comparingInt(CatalogObject::order).thenComparingInt(CatalogObject::id));
        RowSession session = session(owner.getUser());
        // Definitions of primary keys are understood only in this mode.
        session.session().setQuirksMode(true);
        List<CatalogObject> dependent = new ArrayList<>();
        for (CatalogObject object : objects) {
            if (object.order() == ORDER_VIEW || object.order() == ORDER_DOMAIN) {
                dependent.add(object);
            }
            if (object.order() != ORDER_VIEW && object.order() != ORDER_DOMAIN) {
                if (object.order() > ORDER_DOMAIN) {
                    dependent = defineAll(session, dependent, ORDER_DOMAIN);
                }
                define(session, object);
            }
        }
        defineAll(session, dependent, ORDER_VIEW);
        entities.open();
        constraints = ConstraintShapes.of(database());
        replaying = false;
    }

    /** Defines objects that depend on each other, in the order in which that is possible. */
    private List<CatalogObject> defineAll(
            RowSession session, List<CatalogObject> objects, int order) {
        List<CatalogObject> rest =
                new ArrayList<>(objects.stream().filter(o -> o.order() <= order).toList());
        List<CatalogObject> later = objects.stream().filter(o -> o.order() > order).toList();
        while (!rest.isEmpty()) {
            List<CatalogObject> failed = new ArrayList<>();
            DbException reason = null;
            for (CatalogObject object : rest) {
                try {
                    define(session, object);
                } catch (DbException missing) {
                    failed.add(object);
                    reason = missing;
                }
            }
            if (reason != null && failed.size() == rest.size()) {
                throw reason;
            }
            rest = failed;
        }
        return new ArrayList<>(later);
    }

    private void define(RowSession session, CatalogObject object) {
        Prepared prepared = session.session().prepare(object.definition());
        prepared.update();
        session.session().commit(true);
        if (object.sequence() != 0) {
            sequences.add(newSequence(), object.sequence(), object.definition());
        }
    }

    private Sequence newSequence() {
        for (Schema schema : database().getAllSchemas()) {
            for (Sequence sequence : schema.getAllSequences()) {
                if (!sequences.contains(sequence)) {
                    return sequence;
                }
            }
        }
        throw new IllegalStateException("a definition of a sequence defines none");
    }

    private static String name(String schema, String table) {
        return schema + "\0" + table;
    }

    TableStore store() {
        return store;
    }

    Database database() {
        return owner.getDatabase();
    }

    boolean closed() {
        return closed;
    }

    boolean replaying() {
        return replaying;
    }

    @Nullable StoredTable replayed(String schema, String table) {
        return replayedTables.get(name(schema, table));
    }

    int nextId() {
        return nextId.getAndIncrement();
    }

    EntitySchemas entities() {
        return entities;
    }

    DefinedSequences sequences() {
        return sequences;
    }

    /** Our side of an H2 session. */
    RowSession rows(SessionLocal session) {
        RowSession rows = sessions.get(session.getId());
        if (rows == null) {
            throw new IllegalStateException("an H2 session without a transaction of ours");
        }
        return rows;
    }

    /** H2 computes costs of steps of a plan, perhaps in a session of its own. */
    void planned(SessionLocal session, TableFilter @Nullable [] steps) {
        RowSession rows = sessions.get(session.getId());
        if (rows != null && steps != null) {
            rows.planned(steps);
        }
    }

    /** H2 lets only administrators create tables of an engine; they are one no longer than that. */
    void created(SessionLocal session) {
        RowSession rows = sessions.get(session.getId());
        if (rows != null && !session.getUser().equals(owner.getUser())) {
            rows.tableCreated();
        }
    }

    /** Owner of schemas. */
    String owner() {
        return owner.getUser().getName();
    }

    void ended(RowSession session) {
        sessions.remove(session.session().getId());
    }

    /** The version that was read, without changes. */
    public CatalogImage image() {
        return image;
    }

    public List<String> tableNames() {
        List<String> names = new ArrayList<>();
        for (Schema schema : database().getAllSchemasNoMeta()) {
            for (Table table : schema.getAllTablesAndViews(null)) {
                names.add(table.getName());
            }
        }
        return names;
    }

    /** Names of the schemas of users. */
    public List<String> schemas() {
        return database().getAllSchemasNoMeta().stream().map(Schema::getName).toList();
    }

    /** Names of tables, views, indexes and sequences in a schema; none if it does not exist. */
    public List<String> names(String schema) {
        Schema found = database().findSchema(schema);
        if (found == null) {
            return List.of();
        }
        ArrayList<SchemaObject> all = new ArrayList<>();
        found.getAll(all);
        return all.stream().map(SchemaObject::getName).toList();
    }

    private RowSession session(User user) {
        int id = nextSession.incrementAndGet();
        SessionLocal h2 = new SessionLocal(database(), user, id);
        // Which words may be names is a setting of each session.
        h2.setNonKeywords(owner.getNonKeywords());
        RowSession session = new RowSession(h2);
        sessions.put(id, session);
        return session;
    }

    /**
     * @param user the name that {@code current_user} returns; has no rights outside of tables
     */
    public H2Session connect(String user) {
        User restricted = new User(database(), 0, user, false);
        Right right = new Right(database(), 0, restricted, Right.ALTER_ANY_SCHEMA, null);
        restricted.grantRight(null, right);
        return new H2Session(this, session(restricted));
    }

    /** H2 does not check the constraints of an added column. */
    void checkAddedConstraints(RowSession session) {
        if (session.keepsRows()) {
            for (Constraint added : constraints.added(database())) {
                added.checkExistingData(session.session());
            }
        }
    }

    /** Writes the definitions of this instance, after a schema change, to the stored catalog. */
    public CatalogImage save(TableTransaction transaction, CatalogImage previous) {
        List<CatalogObject> objects = new ArrayList<>();
        for (Schema schema : database().getAllSchemasNoMeta()) {
            boolean own =
                    schema.canDrop()
                            && !schema.equals(database().getMainSchema())
                            && !schema.getName().equals("pg_catalog");
            if (own) {
                StringBuilder sql = new StringBuilder("CREATE SCHEMA IF NOT EXISTS ");
                schema.getSQL(sql, DbObject.DEFAULT_SQL_FLAGS);
                objects.add(new CatalogObject(0, ORDER_SCHEMA, sql.toString(), 0, null));
            }
            ArrayList<SchemaObject> all = new ArrayList<>();
            schema.getAll(all);
            all.removeIf(object -> object.getType() == DbObject.FUNCTION_ALIAS);
            all.sort(Comparator.comparingInt(SchemaObject::getId));
            for (SchemaObject object : all) {
                add(objects, object);
            }
        }
        for (Comment comment : database().getAllComments()) {
            objects.add(new CatalogObject(0, ORDER_COMMENT, comment.getCreateSQL(), 0, null));
        }
        boolean hold = constraints.implyAll(image, database());
        return store.change(transaction, previous, nextId.get(), objects, hold);
    }

    /**
     * The catalog with identity columns that start again.
     *
     * @param tables each with its schema
     */
    public static CatalogImage restarted(
            TableStore store,
            CatalogImage before,
            TableTransaction transaction,
            List<List<String>> tables) {
        try (H2Catalog copy = open(store, before)) {
            for (List<String> names : tables) {
                for (Column column : NamedTables.find(copy.owner, names).getColumns()) {
                    Sequence sequence = column.getSequence();
                    if (sequence != null) {
                        copy.sequences.restart(sequence);
                    }
                }
            }
            return copy.save(transaction, before);
        }
    }

    private void add(List<CatalogObject> objects, SchemaObject object) {
        if (object.isTemporary()) {
            throw H2Errors.unsupported("temporary tables");
        }
        String definition = object.getCreateSQLForMeta();
        if (definition == null) {
            return;
        }
        int order = order(object);
        StoredTable table = object instanceof RowTable rows ? rows.describe() : null;
        if (order == ORDER_TABLE && table == null) {
            throw H2Errors.unsupported("tables of another engine");
        }
        long sequence = 0;
        if (object instanceof Sequence changed) {
            DefinedSequences.Definition now = sequences.definition(changed);
            sequence = now.id();
            definition = now.sql();
        }
        objects.add(new CatalogObject(0, order, definition, sequence, table));
    }

    private static int order(SchemaObject object) {
        return switch (object.getType()) {
            case DbObject.DOMAIN -> ORDER_DOMAIN;
            case DbObject.SEQUENCE -> ORDER_SEQUENCE;
            case DbObject.CONSTANT -> ORDER_CONSTANT;
            case DbObject.TABLE_OR_VIEW -> object instanceof TableView ? ORDER_VIEW : ORDER_TABLE;
            case DbObject.INDEX -> ORDER_INDEX;
            case DbObject.CONSTRAINT ->
                    object instanceof org.h2.constraint.ConstraintReferential
                            ? ORDER_REFERENCE
                            : ORDER_CONSTRAINT;
            default -> throw H2Errors.unsupported("objects like " + object.getTraceSQL());
        };
    }

    /** What else is computed from this catalog; there is one, which is closed with it. */
    public synchronized <T extends AutoCloseable> T companion(Class<T> type, Supplier<T> opened) {
        AutoCloseable known = companion;
        if (known == null) {
            T made = opened.get();
            companion = made;
            return made;
        }
        return type.cast(known);
    }

    private synchronized void closeCompanion() {
        AutoCloseable known = companion;
        if (known != null) {
            companion = null;
            try {
                known.close();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        closeCompanion();
        database().shutdownImmediately();
    }
}
