package petrichor.sql;

/** What a session may do in its database. */
public enum SqlRights {
    /** Queries. */
    READ,
    /** Also INSERT, UPDATE, DELETE, MERGE and TRUNCATE. */
    WRITE,
    /** Also definitions. */
    DEFINE;

    /** Insufficient rights are 42501. */
    void require(StatementText statement) {
        SqlRights needed =
                switch (statement.kind()) {
                    case CHANGE -> WRITE;
                    case DEFINITION -> DEFINE;
                    case QUERY,
                            BEGIN,
                            COMMIT,
                            ROLLBACK,
                            ROLLBACK_TO,
                            SAVEPOINT,
                            RELEASE,
                            SET,
                            RESET,
                            SHOW,
                            DISCARD,
                            CURSOR,
                            NOTHING,
                            EMPTY ->
                            READ;
                };
        require(needed, statement.tag());
    }

    void requireWrite(String command) {
        require(WRITE, command);
    }

    private void require(SqlRights needed, String command) {
        if (compareTo(needed) < 0) {
            throw new SqlException(
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    "permission denied: "
                            + command
                            + " needs a token with the role "
                            + (needed == WRITE ? "write" : "admin"));
        }
    }
}
