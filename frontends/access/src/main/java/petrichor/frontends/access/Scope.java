package petrichor.frontends.access;

import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The projects and databases that a token may access. A database is named {@code PROJECT/ID}; the
 * id of a project's default database is the empty string in the program, and {@code (default)} in
 * configuration files, as in Google's.
 */
public sealed interface Scope {
    Scope EVERYTHING = new Everything();
    String DEFAULT_DATABASE = "(default)";

    boolean includes(String project, String database);

    /** Whether the scope includes at least one possible database of this project. */
    boolean includesSomeOf(String project);

    /** Whether the scope includes all databases of this project, and thereby its app. */
    boolean includesAllOf(String project);

    /** All databases of all projects, including future ones. */
    record Everything() implements Scope {
        @Override
        public boolean includes(String project, String database) {
            return true;
        }

        @Override
        public boolean includesSomeOf(String project) {
            return true;
        }

        @Override
        public boolean includesAllOf(String project) {
            return true;
        }
    }

    /**
     * The listed projects and databases. If both sets are empty, the token can only read metrics.
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

        @Override
        public boolean includesAllOf(String project) {
            return projects.contains(project);
        }
    }
}
