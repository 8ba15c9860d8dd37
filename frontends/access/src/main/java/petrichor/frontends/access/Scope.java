package petrichor.frontends.access;

import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The projects and databases that a token reaches. A database is named {@code PROJECT/ID}; the id
 * of a project's default database is the empty text inside the program and {@code (default)} in
 * configuration files, as Google writes it.
 */
public sealed interface Scope {
    Scope EVERYTHING = new Everything();
    String DEFAULT_DATABASE = "(default)";

    boolean includes(String project, String database);

    /** Whether a request about this project can be about a database in scope. */
    boolean includesSomeOf(String project);

    /** Every database of every project, those included that do not exist yet. */
    record Everything() implements Scope {
        @Override
        public boolean includes(String project, String database) {
            return true;
        }

        @Override
        public boolean includesSomeOf(String project) {
            return true;
        }
    }

    /**
     * Nothing, if both sets are empty: such a token reads only the metrics.
     *
     * @param projects with all their databases
     * @param databases {@code PROJECT/ID}, the default database as {@code PROJECT/(default)}
     */
    record Limited(Set<String> projects, Set<String> databases) implements Scope {
        private static final Pattern DATABASE = Pattern.compile("[^/]+/[^/]+");

        public Limited {
            projects = Set.copyOf(projects);
            databases = Set.copyOf(databases);
            for (String database : databases) {
                if (!DATABASE.matcher(database).matches()) {
                    throw PetrichorException.invalid(
                            "\"{database}\" is not a database; write PROJECT/DATABASE, and"
                                    + " PROJECT/(default) for the default one",
                            "database",
                            database);
                }
            }
        }

        @Override
        public boolean includes(String project, String database) {
            return projects.contains(project)
                    || databases.contains(
                            project + "/" + (database.isEmpty() ? DEFAULT_DATABASE : database));
        }

        @Override
        public boolean includesSomeOf(String project) {
            return projects.contains(project)
                    || databases.stream().anyMatch(one -> one.startsWith(project + "/"));
        }
    }
}
