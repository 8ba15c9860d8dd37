package petrichor.frontends.appengine.user;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.services.users.Account;
import petrichor.services.users.Accounts;

/**
 * {@code /petrichor/v1/users}: GET lists accounts; POST changes one, as {@code petrichor user}
 * does: {@code {"action": "add", "email": "a@b.example", "password": "…"}}, and so {@code remove},
 * {@code password}, {@code grant}, {@code revoke} (with {@code "project"}, or {@code "cloud":
 * true}) and {@code sign-out}. Passwords appear in no answer and no log.
 */
public final class UserPages {
    private static final String PATH = "/petrichor/v1/users";

    private final Accounts accounts;

    public UserPages(Accounts accounts) {
        this.accounts = accounts;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.ADMIN, _ -> list()),
                new Page("POST", PATH, Page.Access.ADMIN, this::change));
    }

    private Page.Answer list() {
        JsonArray users = new JsonArray();
        accounts.list().forEach(account -> users.add(json(account)));
        JsonObject all = new JsonObject();
        all.add("users", users);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(Account account) {
        JsonObject json = new JsonObject();
        json.addProperty("email", account.email());
        json.addProperty("id", account.id());
        json.addProperty("password", account.password().isPresent());
        json.addProperty("cloudAdmin", account.roles().cloudAdmin());
        JsonArray projects = new JsonArray();
        account.roles().adminOf().stream().sorted().forEach(projects::add);
        json.add("adminOf", projects);
        return json;
    }

    private Page.Answer change(Page.Request request) {
        try {
            JsonObject change =
                    JsonParser.parseString(new String(request.body(), StandardCharsets.UTF_8))
                            .getAsJsonObject();
            return Page.Answer.json(200, changed(change) + "\n");
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException e) {
            return Page.Answer.text(400, "the request is not a JSON object with texts\n");
        } catch (PetrichorException e) {
            return Page.Answer.text(status(e.code()), e.getMessage() + "\n");
        }
    }

    private static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> 400;
            case NOT_FOUND -> 409; // 404 would mean that the server has no such page
            case ALREADY_EXISTS, ABORTED, FAILED_PRECONDITION -> 409;
            case PERMISSION_DENIED, UNAUTHENTICATED -> 403;
            case RESOURCE_EXHAUSTED -> 429;
            case UNAVAILABLE, DEADLINE_EXCEEDED -> 503;
            case UNIMPLEMENTED -> 501;
            case INTERNAL -> 500;
        };
    }

    private JsonObject changed(JsonObject change) {
        String email = text(change, "email");
        return switch (text(change, "action")) {
            case "add" -> json(accounts.add(email, password(change)));
            case "remove" -> {
                accounts.remove(email);
                yield new JsonObject();
            }
            case "password" ->
                    json(
                            accounts.changePassword(
                                    email,
                                    password(change)
                                            .orElseThrow(
                                                    () ->
                                                            PetrichorException.invalid(
                                                                    "a password is missing"))));
            case "grant" -> json(accounts.changeRoles(email, roles -> with(roles, change, true)));
            case "revoke" -> json(accounts.changeRoles(email, roles -> with(roles, change, false)));
            case "sign-out" -> json(accounts.endSessions(email));
            default ->
                    throw PetrichorException.invalid(
                            "the action must be add, remove, password, grant, revoke or sign-out");
        };
    }

    private static Account.Roles with(Account.Roles roles, JsonObject change, boolean granted) {
        if (change.has("cloud") && change.get("cloud").getAsBoolean()) {
            return new Account.Roles(granted, roles.adminOf());
        }
        String project = text(change, "project");
        if (!project.matches("[A-Za-z\\d.\\-_:]{1,100}")) {
            throw PetrichorException.invalid("name an app, or the whole cloud");
        }
        Set<String> projects = new HashSet<>(roles.adminOf());
        if (granted) {
            projects.add(project);
        } else {
            projects.remove(project);
        }
        return new Account.Roles(roles.cloudAdmin(), projects);
    }

    private static Optional<String> password(JsonObject change) {
        return change.has("password")
                ? Optional.of(change.get("password").getAsString())
                : Optional.empty();
    }

    private static String text(JsonObject change, String name) {
        JsonElement value = change.get(name);
        return value == null ? "" : value.getAsString();
    }
}
