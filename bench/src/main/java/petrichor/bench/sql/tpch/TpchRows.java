package petrichor.bench.sql.tpch;

import java.math.BigDecimal;
import java.math.MathContext;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a query as text, in which both engines agree. Stateless. */
final class TpchRows {
    /** Sums of doubles depend on their order. */
    private static final MathContext DIGITS = new MathContext(9);

    private TpchRows() {}

    static List<String> of(Connection connection, String query) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    values.add(shown(result.getObject(i)));
                }
                found.add(String.join("|", values));
            }
        }
        return found;
    }

    static String shown(@Nullable Object value) {
        return value instanceof Number number
                ? new BigDecimal(number.toString())
                        .round(DIGITS)
                        .stripTrailingZeros()
                        .toPlainString()
                : String.valueOf(value).strip();
    }
}
