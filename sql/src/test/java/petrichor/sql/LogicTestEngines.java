package petrichor.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What runs files of sqllogictest: our sessions, and H2 with its own tables. */
final class LogicTestEngines {
    private LogicTestEngines() {}

    static LogicTestFile.Engine of(SqlSession session) {
        return new LogicTestFile.Engine() {
            @Override
            public String execute(String text) {
                try {
                    Sessions.run(session, text);
                    return "";
                } catch (SqlException refused) {
                    return refused.state() + " " + refused.getMessage();
                }
            }

            @Override
            public List<List<@Nullable Object>> query(String text) {
                List<List<@Nullable Object>> rows = new ArrayList<>();
                try {
                    StatementResult.Rows result = (StatementResult.Rows) session.execute(text);
                    try (RowIterator found = result.rows()) {
                        while (found.next()) {
                            List<@Nullable Object> row = new ArrayList<>();
                            for (int i = 0; i < result.columns().size(); i++) {
                                row.add(found.value(i));
                            }
                            rows.add(row);
                        }
                    }
                } catch (SqlException refused) {
                    throw new LogicTestFile.RefusedException(
                            refused.state() + " " + refused.getMessage(), refused);
                }
                return rows;
            }
        };
    }

    static LogicTestFile.Engine of(Connection connection) {
        return new LogicTestFile.Engine() {
            @Override
            public String execute(String text) {
                try (Statement statement = connection.createStatement()) {
                    boolean _ = statement.execute(text);
                    return "";
                } catch (SQLException refused) {
                    return String.valueOf(refused.getMessage());
                }
            }

            @Override
            public List<List<@Nullable Object>> query(String text) {
                List<List<@Nullable Object>> rows = new ArrayList<>();
                try (Statement statement = connection.createStatement();
                        ResultSet found = statement.executeQuery(text)) {
                    while (found.next()) {
                        List<@Nullable Object> row = new ArrayList<>();
                        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                            row.add(found.getObject(i));
                        }
                        rows.add(row);
                    }
                } catch (SQLException refused) {
                    throw new LogicTestFile.RefusedException(
                            String.valueOf(refused.getMessage()), refused);
                }
                return rows;
            }
        };
    }
}
