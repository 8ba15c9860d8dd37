package petrichor.kv.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * A range of keys as an SQL condition on {@code head} and {@code tail}. Uses few forms, so that the
 * server parses and plans each of them once: a bound of an ordinary key is a comparison of heads,
 * as indexed; a bound of a long key needs the tail as well.
 *
 * @param condition with a question mark for each parameter
 */
record Bounds(String condition, List<byte[]> parameters) {

    static Bounds of(KeyRange range) {
        StringBuilder condition = new StringBuilder();
        List<byte[]> parameters = new ArrayList<>(4);
        SplitKey from = SplitKey.of(range.from());
        condition.append("head >= ?");
        parameters.add(from.head());
        if (from.hasTail()) {
            condition.append(" AND (head > ? OR tail >= ?)");
            parameters.add(from.head());
            parameters.add(from.tail());
        }
        byte @Nullable [] end = range.to();
        if (end != null) {
            SplitKey to = SplitKey.of(end);
            parameters.add(to.head());
            if (to.hasTail()) {
                condition.append(" AND head <= ? AND (head < ? OR tail < ?)");
                parameters.add(to.head());
                parameters.add(to.tail());
            } else {
                condition.append(" AND head < ?");
            }
        }
        return new Bounds(condition.toString(), parameters);
    }

    /** The keys of the range that have this head. */
    Bounds withHead(byte[] head) {
        List<byte[]> more = new ArrayList<>(parameters);
        more.add(head);
        return new Bounds(condition + " AND head = ?", more);
    }

    /** Sets the parameters from index {@code at}; returns the index after them. */
    int set(PreparedStatement statement, int at) throws SQLException {
        int next = at;
        for (byte[] parameter : parameters) {
            statement.setBytes(next++, parameter);
        }
        return next;
    }
}
