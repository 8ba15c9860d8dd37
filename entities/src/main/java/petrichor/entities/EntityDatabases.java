package petrichor.entities;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;

/**
 * The databases of all projects by name, opened when first used. The default database of a project
 * has the id "". Safe for any thread.
 */
public final class EntityDatabases {
    private static final Pattern DIMENSION = Pattern.compile("[A-Za-z\\d.\\-_~:]{1,100}");

    private final Databases databases;
    private final List<IndexDefinition> declared;
    private final ConcurrentMap<String, EntityDatabase> open = new ConcurrentHashMap<>();

    public EntityDatabases(Databases databases) {
        this(databases, List.of());
    }

    /**
     * @param declared composite indexes that every database has; made when it is first used, which
     *     takes time if it is not empty and does not have them yet
     */
    public EntityDatabases(Databases databases, List<IndexDefinition> declared) {
        this.databases = databases;
        this.declared = List.copyOf(declared);
    }

    public EntityDatabase open(String project, String id) {
        if (project.isEmpty()) {
            throw PetrichorException.invalid(
                    "The project id is missing: set project_id in the request (clients take it from"
                            + " their project option or GOOGLE_CLOUD_PROJECT).");
        }
        String name = id.isEmpty() ? project : project + "/" + id;
        EntityDatabase known = open.get(name);
        if (known == null) {
            requireNames(project, id);
        }
        Database rows = databases.open(name);
        if (known != null && known.rows().equals(rows)) {
            return known;
        }
        // Not known yet, or opened anew since: dropped, or recovered after a failure.
        return open.compute(
                name,
                (_, other) ->
                        other != null && other.rows().equals(rows)
                                ? other
                                : new EntityDatabase(project, id, rows, catalog(rows)));
    }

    private IndexCatalog catalog(Database rows) {
        IndexCatalog catalog = new IndexCatalog(rows);
        declared.forEach(catalog::ensure);
        return catalog;
    }

    private static void requireNames(String project, String id) {
        requireDimension("project id", project);
        if (id.equals("(default)")) {
            throw PetrichorException.invalid(
                    "The database id \"(default)\" is not allowed; use \"\" for the default"
                            + " database.");
        }
        if (!id.isEmpty()) {
            requireDimension("database id", id);
        }
    }

    /** Removes all entities of all databases. */
    public void dropAll() {
        for (String name : databases.names()) {
            databases.drop(name);
            open.remove(name);
        }
    }

    static void requireDimension(String what, String value) {
        if (!DIMENSION.matcher(value).matches()) {
            throw PetrichorException.invalid(
                    "The "
                            + what
                            + " \""
                            + Texts.shortened(value)
                            + "\" must consist of 1 to 100 letters, digits, '.', '-' and '_'.");
        }
    }
}
