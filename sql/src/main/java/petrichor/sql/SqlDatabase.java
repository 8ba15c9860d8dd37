package petrichor.sql;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Properties;
import petrichor.tables.TableStore;
import petrichor.transactions.Database;

/** SQL over the tables of one database. Thread-safe. Does not close the database. */
public final class SqlDatabase implements AutoCloseable {
    static {
        H2Properties.set();
    }

    /** Texts of statements that are kept parsed. */
    private static final int STATEMENTS_MAX = 1_000;

    /** Longer texts are not kept, in characters. */
    private static final int STATEMENT_LENGTH_MAX = 10_000;

    private final Database rows;
    private final TableStore store;
    private final CatalogCache catalogs;
    private final @Nullable AnalyticsEngine analytics;
    private final OnlineIndexes indexes;

    private final Map<String, StatementText> statements =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, StatementText> eldest) {
                    return size() > STATEMENTS_MAX;
                }
            };

    private SqlDatabase(
            Database rows,
            @Nullable AnalyticsEngine analytics,
            long builder,
            Duration standstillMax) {
        this.rows = rows;
        this.analytics = analytics;
        this.store = TableStore.open(rows);
        this.indexes = new OnlineIndexes(rows.name(), store, builder, standstillMax);
        this.catalogs = new CatalogCache(store, indexes::watch);
    }

    public static SqlDatabase open(Database rows) {
        return open(rows, (AnalyticsEngine) null);
    }

    /**
     * @param analytics executes queries if {@code petrichor.engine} selects it; not closed. Null:
     *     none
     */
    public static SqlDatabase open(Database rows, @Nullable AnalyticsEngine analytics) {
        return new SqlDatabase(
                rows, analytics, new SecureRandom().nextLong(), OnlineIndexes.STANDSTILL_MAX);
    }

    /**
     * @param standstillMax an index build of another server without progress is taken over
     */
    static SqlDatabase open(Database rows, Duration standstillMax) {
        return new SqlDatabase(rows, null, new SecureRandom().nextLong(), standstillMax);
    }

    /** The name of the database below. */
    public String name() {
        return rows.name();
    }

    /**
     * @param user the name that {@code current_user} returns
     */
    public SqlSession connect(String user, SqlRights rights) {
        return new SqlSession(this, user, rights);
    }

    /** With all rights. */
    public SqlSession connect(String user) {
        return connect(user, SqlRights.DEFINE);
    }

    TableStore store() {
        return store;
    }

    @Nullable AnalyticsEngine analytics() {
        return analytics;
    }

    OnlineIndexes indexes() {
        return indexes;
    }

    CatalogCache catalogs() {
        return catalogs;
    }

    StatementText parsed(String text) {
        if (text.length() > STATEMENT_LENGTH_MAX) {
            return StatementText.parse(text);
        }
        synchronized (statements) {
            StatementText known = statements.get(text);
            if (known == null) {
                known = StatementText.parse(text);
                statements.put(text, known);
            }
            return known;
        }
    }

    /** No session may be in use. */
    @Override
    public void close() {
        indexes.close();
        catalogs.close();
    }
}
