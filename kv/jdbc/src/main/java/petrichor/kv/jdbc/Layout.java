package petrichor.kv.jdbc;

/** The names of schemas, tables and columns below the address's path. */
final class Layout {
    /** Increased when the format of rows or tables changes; older versions then refuse them. */
    static final int FORMAT_VERSION = 1;

    /** One row: the format version. Distinguishes our schema from a foreign one. */
    static final String FORMAT = "petrichor_format";

    static final String FENCES = "petrichor_fences";

    /** Distinguishes data tables from the tables above. */
    private static final String TABLE_PREFIX = "kv_";

    private Layout() {}

    static String sqlTable(String table) {
        return TABLE_PREFIX + table;
    }

    static boolean isTable(String sqlTable) {
        return sqlTable.startsWith(TABLE_PREFIX);
    }

    static String table(String sqlTable) {
        return sqlTable.substring(TABLE_PREFIX.length());
    }
}
