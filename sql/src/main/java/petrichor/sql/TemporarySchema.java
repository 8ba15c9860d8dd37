package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Session;

/**
 * The temporary tables of a session: tables of a schema of its own, which is dropped when the
 * session ends. What sessions leave behind that did not end, because their server failed, is
 * dropped by a later session that creates a temporary table. Confined to the session's thread.
 */
final class TemporarySchema {
    /** Temporary tables of a session that has not ended live no longer than this. */
    private static final long AGE_MS_MAX = 7L * 24 * 60 * 60 * 1_000;

    private static final String PREFIX = "pg_temp_";
    private static final int HEX = 16;

    private static final Set<String> MODIFIERS =
            Set.of("OR", "REPLACE", "LOCAL", "GLOBAL", "TEMPORARY", "TEMP");

    private static final Set<String> WORDS = Set.of("TEMPORARY", "TEMP");

    private final String name;
    private boolean used;

    TemporarySchema() {
        String random = UUID.randomUUID().toString().replace("-", "");
        name = PREFIX + Long.toHexString(System.currentTimeMillis()) + "_" + random;
    }

    /** The schemas in which names are found: a temporary table hides another of its name. */
    List<String> path(List<String> searchPath) {
        if (!used) {
            return searchPath;
        }
        List<String> path = new ArrayList<>();
        path.add(name);
        path.addAll(searchPath);
        return path;
    }

    /** Whether the words before TABLE, VIEW or SEQUENCE say so. */
    static boolean isTemporary(StatementText statement) {
        List<String> words = statement.words();
        int at = 1;
        while (at < words.size() && MODIFIERS.contains(words.get(at))) {
            if (WORDS.contains(words.get(at))) {
                return words.getFirst().equals("CREATE");
            }
            at++;
        }
        return false;
    }

    /**
     * Prepares a session for a definition: of a temporary table, or one that names one, in the
     * schema of the session; another one in the first schema of the search path.
     */
    void enter(
            StatementText statement,
            List<String> searchPath,
            H2Catalog catalog,
            Definer definer,
            H2Session h2) {
        boolean created = isTemporary(statement);
        if (created) {
            if (!catalog.schemas().contains(name)) {
                catalog.schemas().stream()
                        .filter(TemporarySchema::isOutdated)
                        .forEach(old -> definer.define("DROP SCHEMA \"" + old + "\" CASCADE"));
                definer.define(
                        "CREATE SCHEMA \"" + name + "\" AUTHORIZATION \"" + h2.owner() + "\"");
            }
            used = true;
        }
        if (created || names(statement, catalog)) {
            h2.searchPath(path(searchPath));
        } else {
            h2.searchPath(searchPath);
        }
    }

    /** Executes a further definition first. */
    interface Definer {
        void define(String text);
    }

    private boolean names(StatementText statement, H2Catalog catalog) {
        if (!used) {
            return false;
        }
        List<String> tables = catalog.names(name);
        return statement.words().stream()
                .anyMatch(word -> tables.contains(SqlText.names(word).getFirst()));
    }

    private static boolean isOutdated(String schema) {
        if (!schema.startsWith(PREFIX)) {
            return false;
        }
        int end = schema.indexOf('_', PREFIX.length());
        try {
            long created =
                    Long.parseLong(
                            schema.substring(PREFIX.length(), Math.max(end, PREFIX.length())), HEX);
            return created < System.currentTimeMillis() - AGE_MS_MAX;
        } catch (NumberFormatException other) {
            return false;
        }
    }

    /** Drops all temporary tables of the session. */
    void drop(SqlSession session) {
        if (used) {
            StatementResult _ = session.execute("DROP SCHEMA IF EXISTS \"" + name + "\" CASCADE");
            used = false;
        }
    }

    /** Drops them when the session ends; if that fails, a later session does. */
    void end(SqlSession session) {
        try {
            drop(session);
        } catch (SqlException failed) {
            used = false;
        }
    }
}
