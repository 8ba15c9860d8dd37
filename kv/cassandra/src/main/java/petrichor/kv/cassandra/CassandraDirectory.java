package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.kv.ranges.RangeEntry;
import petrichor.kv.ranges.SplitPlan;

/**
 * The directory of one store: one partition, so that its entries change atomically; all changes are
 * conditional, and reads are linearizable with them.
 */
final class CassandraDirectory {
    /** Size of an entry in a request in addition to its first key, in bytes. */
    private static final int LINE_OVERHEAD_BYTES = 256;

    private final Queries queries;
    private final String space;
    private final PreparedStatement tables;
    private final PreparedStatement lines;
    private final PreparedStatement enter;
    private final PreparedStatement exchange;
    private final PreparedStatement add;
    private final PreparedStatement remove;
    private final long writeBytesMax;

    CassandraDirectory(Queries queries, String space, long writeBytesMax) {
        this.writeBytesMax = writeBytesMax;
        this.queries = queries;
        this.space = space;
        this.tables =
                queries.readLinearizably("SELECT tbl, first FROM $.directory WHERE space = ?");
        this.lines =
                queries.readLinearizably(
                        "SELECT first, part FROM $.directory WHERE space = ? AND tbl = ?");
        this.enter =
                queries.conditionalWrite(
                        "INSERT INTO $.directory (space, tbl, first, part) VALUES (?, ?, ?, ?) IF"
                                + " NOT EXISTS");
        String where = " WHERE space = ? AND tbl = ? AND first = ?";
        this.exchange =
                queries.conditionalWrite(
                        "UPDATE $.directory SET part = ?" + where + " IF part = ?");
        this.add = queries.conditionalWrite("UPDATE $.directory SET part = ?" + where);
        this.remove = queries.conditionalWrite("DELETE FROM $.directory" + where + " IF part = ?");
    }

    Set<String> tables() {
        Set<String> names = new TreeSet<>();
        for (Row row : queries.rows(tables.bind(space))) {
            names.add(Objects.requireNonNull(row.getString("tbl")));
        }
        return names;
    }

    List<RangeEntry> lines(String table) {
        List<RangeEntry> found = new ArrayList<>();
        byte @Nullable [] to = null;
        for (Row row : queries.rows(lines.bind(space, table)).reversed()) {
            byte[] from = StoredValue.bytes(Objects.requireNonNull(row.getByteBuffer("first")));
            found.add(new RangeEntry(new KeyRange(from, to), row.getLong("part")));
            to = from;
        }
        return List.copyOf(found.reversed());
    }

    boolean enter(String table, RangeEntry first) {
        return queries.applied(enter.bind(space, table, from(first), first.partition()));
    }

    boolean replace(SplitPlan plan) {
        List<BatchableStatement<?>> changes = new ArrayList<>();
        String table = plan.table();
        for (RangeEntry child : plan.children()) {
            changes.add(
                    changes.isEmpty()
                            ? exchange.bind(
                                    child.partition(),
                                    space,
                                    table,
                                    from(child),
                                    plan.replaced().partition())
                            : add.bind(child.partition(), space, table, from(child)));
        }
        return queries.applied(Queries.batch(changes, false));
    }

    boolean remove(String table, List<RangeEntry> gone) {
        List<BatchableStatement<?>> changes = new ArrayList<>();
        long bytes = 0;
        for (RangeEntry line : gone.reversed()) {
            long more = (long) LINE_OVERHEAD_BYTES + line.range().from().length;
            if (!changes.isEmpty() && bytes + more > writeBytesMax) {
                if (!queries.applied(Queries.batch(changes, false))) {
                    return false;
                }
                changes.clear();
                bytes = 0;
            }
            changes.add(remove.bind(space, table, from(line), line.partition()));
            bytes += more;
        }
        return queries.applied(Queries.batch(changes, false));
    }

    private static ByteBuffer from(RangeEntry line) {
        return ByteBuffer.wrap(line.range().from());
    }
}
