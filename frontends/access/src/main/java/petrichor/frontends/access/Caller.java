package petrichor.frontends.access;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The identity and rights of a request's sender, according to its token.
 *
 * @param name of the token, for the audit log and error messages
 */
public record Caller(String name, Role role, Scope scope) {
    /** Every client, if no token is configured. */
    public static final Caller ANYONE = new Caller("anonymous", Role.ADMIN, Scope.EVERYTHING);

    /** Another server of the cluster, which has verified the client's token. */
    public static final Caller PEER = new Caller("cluster", Role.ADMIN, Scope.EVERYTHING);

    /** PERMISSION_DENIED if the role does not include {@code needed}. */
    public void require(Role needed) {
        if (!role.includes(needed)) {
            throw denied(
                    "this request needs the role "
                            + needed.text()
                            + ", and the token \""
                            + name
                            + "\" has the role "
                            + role.text());
        }
    }

    /** PERMISSION_DENIED if the database is out of scope. */
    public void requireDatabase(String project, String database) {
        if (!scope.includes(project, database)) {
            throw outOfScope(
                    project + "/" + (database.isEmpty() ? Scope.DEFAULT_DATABASE : database));
        }
    }

    /** PERMISSION_DENIED if no database of the project is in scope. */
    public void requireSomeOf(String project) {
        if (!scope.includesSomeOf(project)) {
            throw outOfScope(project);
        }
    }

    /** PERMISSION_DENIED if the scope does not include all databases of the project. */
    public void requireProject(String project) {
        if (!scope.includesAllOf(project)) {
            throw outOfScope(project);
        }
    }

    /**
     * PERMISSION_DENIED unless the token has the role and is not limited to projects or databases.
     */
    public void requireEverywhere(Role needed) {
        require(needed);
        if (!scope.equals(Scope.EVERYTHING)) {
            throw denied(
                    "this request concerns the whole server, but the token \""
                            + name
                            + "\" is limited to some projects or databases");
        }
    }

    private PetrichorException outOfScope(String what) {
        return denied("the token \"" + name + "\" has no access to " + what);
    }

    private PetrichorException denied(String why) {
        return PetrichorException.of(
                ErrorCode.PERMISSION_DENIED,
                "{reason}; use another token, or change this one (auth.tokens-file)",
                "reason",
                why,
                "token",
                name);
    }
}
