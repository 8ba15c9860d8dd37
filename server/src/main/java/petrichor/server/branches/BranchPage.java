package petrichor.server.branches;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
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
        return new Page("POST", PATH, Page.Access.TOKEN, Page.Lane.CALLS, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        try {
            JsonObject asked = parsed(request.body());
            String project = text(asked, "project");
            String database = text(asked, "database");
            request.attempt().require(Role.ADMIN, project, database);
            String name = EntityDatabases.name(project, database);
            return switch (text(asked, "action")) {
                case "branch" -> {
                    String branch = text(asked, "name");
                    request.attempt().require(Role.ADMIN, project, branch);
                    yield answer(branched(project, name, branch, asked));
                }
                case "drop" -> answer(dropped(name, asked));
                default ->
                        throw PetrichorException.invalid(
                                "A database has no action \"{action}\"; there are branch and drop.",
                                "action",
                                text(asked, "action"));
            };
        } catch (PetrichorException refused) {
            JsonObject error = new JsonObject();
            error.addProperty("status", refused.code().name());
            error.addProperty("message", refused.getMessage());
            JsonObject body = new JsonObject();
            body.add("error", error);
            return Page.Answer.json(
                    refused.code() == ErrorCode.UNAVAILABLE ? 503 : 400, body + "\n");
        }
    }

    private static Page.Answer answer(JsonObject body) {
        return Page.Answer.json(200, body + "\n");
    }

    private static JsonObject parsed(byte[] body) {
        try {
            if (JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException malformed) {
            // The same answer as for other JSON.
        }
        throw PetrichorException.invalid("The body must be a JSON object with an action.");
    }

    private static String text(JsonObject asked, String field) {
        return asked.get(field) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    private JsonObject branched(String project, String parent, String branch, JsonObject asked) {
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
        made.addProperty("parent", text(asked, "database"));
        made.addProperty("version", String.valueOf(version));
        return made;
    }

    private static long version(JsonObject asked) {
        String text = text(asked, "version");
        if (!text.matches("\\d{0,18}")) {
            throw PetrichorException.invalid(
                    "The version \"{version}\" must be a number of microseconds since 1970.",
                    "version",
                    text);
        }
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private JsonObject dropped(String name, JsonObject asked) {
        requireExists(name);
        boolean any = asked.get("force") instanceof JsonPrimitive force && force.getAsBoolean();
        var _ =
                service.ask(
                        DatabaseChange.newBuilder()
                                .setDatabase(name)
                                .setDrop(DropDatabase.newBuilder().setAny(any))
                                .build());
        JsonObject gone = new JsonObject();
        gone.addProperty("project", text(asked, "project"));
        gone.addProperty("database", text(asked, "database"));
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
