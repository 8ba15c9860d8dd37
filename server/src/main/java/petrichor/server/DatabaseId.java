package petrichor.server;

import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Scope;

/**
 * The two components of a database name.
 *
 * @param database empty for the project's default database
 */
record DatabaseId(String project, String database) {
    /** Parses a name created by {@link EntityDatabases#name}. */
    static DatabaseId of(String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? new DatabaseId(name, "")
                : new DatabaseId(name.substring(0, slash), name.substring(slash + 1));
    }

    String name() {
        return database.isEmpty() ? project : project + "/" + database;
    }

    boolean isIn(Scope scope) {
        return scope.includes(project, database);
    }
}
