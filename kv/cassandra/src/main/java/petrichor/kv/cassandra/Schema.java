package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import petrichor.kv.StoreFailures;

/**
 * The keyspace and its tables: creates them if they do not exist, and refuses those of other
 * programs.
 */
final class Schema {
    /** Increased when rows of older versions can no longer be read. */
    private static final int FORMAT = 1;

    /** All nodes have to agree, one change after the other. */
    private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(30);

    private static final int COPIES = 3;

    private static final Map<String, String> TABLES =
            Map.of(
                    "format",
                    "name text PRIMARY KEY, version int",
                    "directory",
                    "space text, tbl text, first blob, part bigint,"
                            + " PRIMARY KEY ((space), tbl, first)",
                    "rows",
                    "part bigint, kind tinyint, key blob, state int STATIC, plan blob STATIC,"
                            + " value blob, PRIMARY KEY ((part), kind, key)",
                    "range_deletes",
                    "part bigint, version bigint, first blob, last blob, kept boolean,"
                            + " PRIMARY KEY ((part), version, first, last)");

    private final CqlSession session;
    private final CassandraAddress address;
    private final CassandraFailures failures;

    Schema(CqlSession session, CassandraAddress address) {
        this.session = session;
        this.address = address;
        this.failures = new CassandraFailures(address.text());
    }

    void require() {
        try {
            if (keyspace().isEmpty()) {
                make();
            }
            requireOurs();
        } catch (DriverException failed) {
            throw failures.of(failed);
        }
    }

    private Optional<KeyspaceMetadata> keyspace() {
        return session.getMetadata().getKeyspace(address.keyspace());
    }

    private void make() {
        int copies = Math.min(COPIES, session.getMetadata().getNodes().size());
        String datacenter =
                String.valueOf(
                        session.getMetadata()
                                .getNodes()
                                .values()
                                .iterator()
                                .next()
                                .getDatacenter());
        change(
                ("CREATE KEYSPACE IF NOT EXISTS %s WITH replication = {'class':"
                                + " 'NetworkTopologyStrategy', '%s': %d}")
                        .formatted(address.keyspace(), datacenter, copies));
        makeTables();
    }

    private void makeTables() {
        TABLES.forEach(
                (table, columns) ->
                        change(
                                "CREATE TABLE IF NOT EXISTS %s.%s (%s)"
                                        .formatted(address.keyspace(), table, columns)));
    }

    private void change(String cql) {
        session.execute(SimpleStatement.newInstance(cql).setTimeout(CHANGE_TIMEOUT));
    }

    private void requireOurs() {
        KeyspaceMetadata keyspace =
                keyspace().orElseThrow(() -> foreign("its keyspace was just dropped"));
        new Replication(
                        address.keyspace(),
                        keyspace.getReplication(),
                        session.getMetadata().getNodes().size())
                .unfit()
                .ifPresent(
                        what -> {
                            throw StoreFailures.unfit(address.text(), what);
                        });
        if (keyspace.getTable("format").isEmpty()) {
            if (!keyspace.getTables().isEmpty()) {
                throw foreign(
                        "the keyspace '"
                                + address.keyspace()
                                + "' holds tables of another program ("
                                + names(keyspace)
                                + ")");
            }
            makeTables();
        } else if (!names(keyspace).containsAll(TABLES.keySet())) {
            // Another process is creating them, or did not finish.
            makeTables();
        }
        KeyspaceMetadata made = keyspace().orElse(keyspace);
        TABLES.forEach((table, columns) -> requireColumns(made, table, columns));
        requireFormat();
    }

    private static Set<String> names(KeyspaceMetadata keyspace) {
        return keyspace.getTables().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void requireColumns(KeyspaceMetadata keyspace, String table, String columns) {
        TableMetadata there =
                keyspace.getTable(table)
                        .orElseThrow(() -> foreign("it has no table '" + table + "'"));
        for (CqlIdentifier column : there.getColumns().keySet()) {
            if (!columns.contains(column.asInternal() + " ")) {
                throw foreign(
                        "the table '"
                                + table
                                + "' of the keyspace '"
                                + address.keyspace()
                                + "' is not Petrichor's (it has a column '"
                                + column.asInternal()
                                + "')");
            }
        }
    }

    private void requireFormat() {
        SimpleStatement insert =
                SimpleStatement.newInstance(
                                ("INSERT INTO %s.format (name, version) VALUES ('petrichor', %d) IF"
                                                + " NOT EXISTS")
                                        .formatted(address.keyspace(), FORMAT))
                        .setConsistencyLevel(DefaultConsistencyLevel.QUORUM);
        SimpleStatement select =
                SimpleStatement.newInstance(
                                "SELECT version FROM %s.format WHERE name = 'petrichor'"
                                        .formatted(address.keyspace()))
                        .setConsistencyLevel(DefaultConsistencyLevel.SERIAL)
                        .setIdempotent(true);
        Row format = session.execute(select).one();
        if (format == null) {
            session.execute(insert);
            format = session.execute(select).one();
        }
        if (format == null || format.getInt("version") != FORMAT) {
            throw StoreFailures.unfit(
                    address.text(),
                    "its rows have the format "
                            + (format == null ? "unknown" : format.getInt("version"))
                            + ", but this version supports only "
                            + FORMAT
                            + "; use the version that wrote them, or another keyspace");
        }
    }

    private RuntimeException foreign(String what) {
        return StoreFailures.unfit(address.text(), what + "; name another keyspace in its address");
    }
}
