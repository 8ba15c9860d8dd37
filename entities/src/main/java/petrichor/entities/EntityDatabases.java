package petrichor.entities;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.transactions.Branch;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;

/**
 * The databases of all projects by name, opened on first use. The default database of a project has
 * the id "". Thread-safe.
 */
public final class EntityDatabases {
    private static final Pattern DIMENSION = Pattern.compile("[A-Za-z\\d.\\-_~:]{1,100}");

    private static final System.Logger LOG = System.getLogger(EntityDatabases.class.getName());

    /** Small databases have all their indexes before the first response; large ones do not wait. */
    private static final Duration INDEX_WAIT_MAX = Duration.ofMillis(500);

    private final Databases databases;
    private final List<IndexDefinition> declared;
    private final ConcurrentMap<String, EntityDatabase> open = new ConcurrentHashMap<>();

    public EntityDatabases(Databases databases) {
        this(databases, List.of());
    }

    /**
     * @param declared composite indexes of every database; created on first use of a database, in
     *     the background if that takes time
     */
    public EntityDatabases(Databases databases, List<IndexDefinition> declared) {
        this.databases = databases;
        this.declared = List.copyOf(declared);
    }

    public EntityDatabase open(String project, String id) {
        requireProject(project);
        String name = joined(project, id);
        EntityDatabase known = open.get(name);
        if (known == null) {
            requireNames(project, id);
        }
        Database rows = databases.open(name);
        if (known != null && known.rows().equals(rows)) {
            return known;
        }
        // Not known yet, or reopened because it was dropped or recovered after a failure.
        EntityDatabase fresh = new EntityDatabase(project, id, rows, new IndexCatalog(rows));
        EntityDatabase current =
                open.compute(
                        name,
                        (_, other) -> other != null && other.rows().equals(rows) ? other : fresh);
        if (current.equals(fresh) && rows.sequencedHere()) {
            provideIndexes(fresh);
        }
        return current;
    }

    /** Declares the configured indexes, and resumes work that a crash interrupted. */
    private void provideIndexes(EntityDatabase database) {
        database.indexes().declare(declared);
        if (!database.indexes().unfinished()) {
            return;
        }
        Thread builder =
                Thread.ofVirtual()
                        .name("indexes-" + database.rows().name())
                        .start(() -> finishIndexes(database));
        try {
            builder.join(INDEX_WAIT_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void finishIndexes(EntityDatabase database) {
        try {
            database.indexes().finish();
        } catch (PetrichorException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Building the indexes of {0} stopped; it continues when the database is opened"
                            + " again: {1}",
                    database.rows().name(),
                    e.getMessage());
        }
    }

    /** The name of a database in the layers below. INVALID_ARGUMENT if it is not a valid name. */
    public static String name(String project, String id) {
        requireProject(project);
        requireNames(project, id);
        return joined(project, id);
    }

    private static String joined(String project, String id) {
        return id.isEmpty() ? project : project + "/" + id;
    }

    private static void requireProject(String project) {
        if (project.isEmpty()) {
            throw PetrichorException.invalid(
                    "The project id is missing: set project_id in the request (clients take it from"
                            + " their project option or GOOGLE_CLOUD_PROJECT).");
        }
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
        // Branches before their parents, which cannot be dropped earlier.
        for (List<Branch> branches = databases.branches();
                !branches.isEmpty();
                branches = databases.branches()) {
            Set<String> parents = branches.stream().map(Branch::parent).collect(Collectors.toSet());
            for (Branch branch : branches) {
                if (!parents.contains(branch.name())) {
                    drop(branch.name());
                }
            }
        }
        databases.names().forEach(this::drop);
    }

    /**
     * Removes a database with its entities; nothing if it does not exist. FAILED_PRECONDITION if it
     * has branches.
     */
    public void drop(String name) {
        databases.drop(name);
        open.remove(name);
    }

    static void requireDimension(String what, String value) {
        if (!DIMENSION.matcher(value).matches()) {
            throw PetrichorException.invalid(
                    "The {field} \"{value}\" must consist of 1 to 100 letters, digits, '.', '-' and"
                            + " '_'.",
                    "field",
                    what,
                    "value",
                    Texts.shortened(value));
        }
    }
}
