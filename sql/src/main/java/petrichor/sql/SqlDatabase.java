package petrichor.sql;

import petrichor.transactions.Database;

/** SQL over the tables of one database. Thread-safe. Does not close the database. */
public final class SqlDatabase implements AutoCloseable {
    private final Database rows;

    private SqlDatabase(Database rows) {
        this.rows = rows;
    }

    public static SqlDatabase open(Database rows) {
        return new SqlDatabase(rows);
    }

    /** The name of the database below. */
    public String name() {
        return rows.name();
    }

    /**
     * @param user the name that {@code current_user} returns
     */
    public SqlSession connect(String user) {
        return new SqlSession(this, user);
    }

    @Override
    public void close() {}
}
