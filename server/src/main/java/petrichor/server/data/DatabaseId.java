package petrichor.server.data;

import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Scope;

/**
 * The two components of a database name.
 *
 * @param database empty for the project's default database
 */
public record DatabaseId(String project, String database) {
    /** Parses a name created by {@link EntityDatabases#name}. */
    public static DatabaseId of(String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? new DatabaseId(name, "")
                : new DatabaseId(name.substring(0, slash), name.substring(slash + 1));
    }

    String name() {
        return database.isEmpty() ? project : project + "/" + database;
    }

    public boolean isIn(Scope scope) {
        return scope.includes(project, database);
    }
}
