package petrichor.server.branches;

import com.google.gson.JsonObject;
import java.util.function.Predicate;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ActionRequest;
import petrichor.frontends.http.Page;
import petrichor.rpc.v1.BranchDatabase;
import petrichor.rpc.v1.DatabaseChange;
import petrichor.rpc.v1.DropDatabase;

/**
 * Branches and drops databases, for {@code petrichor database branch} and {@code drop}: {@code POST
 * /petrichor/v1/databases} takes
 *
 * <pre>
 *   {"action": "branch", "project": P, "database": D, "name": the branch, "version": optional}
 *   {"action": "drop", "project": P, "database": D, "force": true if it is not a branch}
 * </pre>
 *
 * where a version is a number of microseconds since 1970. A branch is in the project of its parent.
 * The caller needs the role admin for both. Thread-safe.
 */
public final class BranchPage {
    private static final String PATH = "/petrichor/v1/databases";

    private final BranchService service;
    private final Predicate<String> exists;

    /**
     * @param exists whether there is a database: a request must not create one
     */
    public BranchPage(BranchService service, Predicate<String> exists) {
        this.service = service;
        this.exists = exists;
    }

    public Page page() {
        return new Page(
                "POST",
                PATH,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request -> ActionRequest.answer(request, this::performed));
    }

    private JsonObject performed(ActionRequest asked) {
        String project = asked.text("project");
        String database = asked.text("database");
        asked.caller().require(Role.ADMIN, project, database);
        String name = EntityDatabases.name(project, database);
        return switch (asked.action()) {
            case "branch" -> {
                String branch = asked.text("name");
                asked.caller().require(Role.ADMIN, project, branch);
                yield branched(project, name, branch, asked);
            }
            case "drop" -> dropped(name, asked);
            default ->
                    throw PetrichorException.invalid(
                            "A database has no action \"{action}\"; there are branch and drop.",
                            "action",
                            asked.action());
        };
    }

    private JsonObject branched(String project, String parent, String branch, ActionRequest asked) {
        if (branch.isEmpty()) {
            throw PetrichorException.invalid("A branch needs a name.");
        }
        requireExists(parent);
        long version =
                service.ask(
                                DatabaseChange.newBuilder()
                                        .setDatabase(parent)
                                        .setBranch(
                                                BranchDatabase.newBuilder()
                                                        .setName(
                                                                EntityDatabases.name(
                                                                        project, branch))
                                                        .setVersion(version(asked)))
                                        .build())
                        .getVersion();
        JsonObject made = new JsonObject();
        made.addProperty("project", project);
        made.addProperty("database", branch);
        made.addProperty("parent", asked.text("database"));
        made.addProperty("version", String.valueOf(version));
        return made;
    }

    private static long version(ActionRequest asked) {
        String text = asked.text("version");
        if (!text.matches("\\d{0,18}")) {
            throw PetrichorException.invalid(
                    "The version \"{version}\" must be a number of microseconds since 1970.",
                    "version",
                    text);
        }
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private JsonObject dropped(String name, ActionRequest asked) {
        requireExists(name);
        boolean any = asked.flag("force");
        var _ =
                service.ask(
                        DatabaseChange.newBuilder()
                                .setDatabase(name)
                                .setDrop(DropDatabase.newBuilder().setAny(any))
                                .build());
        JsonObject gone = new JsonObject();
        gone.addProperty("project", asked.text("project"));
        gone.addProperty("database", asked.text("database"));
        return gone;
    }

    private void requireExists(String name) {
        if (!exists.test(name)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database}; `petrichor database list` shows all.",
                    "database",
                    name);
        }
    }
}
