package petrichor.server.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;
import petrichor.server.tokens.IssuedToken;
import petrichor.server.tokens.IssuedTokens;

/**
 * {@code GET /petrichor/v1/tokens}: the tokens that servers issued. {@code POST}: {@code {"action":
 * "create", "name": "ci", "role": "deploy", "projects": ["shop"]}}, optionally with a validity in
 * seconds, whose answer has the token, or {@code {"action": "revoke", "name": "ci"}}. An
 * administrator of some projects manages the tokens for these. Thread-safe.
 */
public final class TokenPages {
    private static final String PATH = "/petrichor/v1/tokens";
    private static final Duration LIFETIME_MAX = Duration.ofDays(36_500);

    private final IssuedTokens tokens;
    private final boolean required;

    /**
     * @param required whether callers must send a token
     */
    public TokenPages(IssuedTokens tokens, boolean required) {
        this.tokens = tokens;
        this.required = required;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.TOKEN, this::list),
                new Page("POST", PATH, Page.Access.TOKEN, this::change));
    }

    private Page.Answer list(Page.Request request) {
        request.attempt().require(Role.ADMIN);
        Caller caller = request.attempt().caller();
        JsonArray shown = new JsonArray();
        tokens.list().stream()
                .filter(token -> mayManage(caller, token.projects()))
                .forEach(token -> shown.add(token.shown()));
        JsonObject json = new JsonObject();
        json.add("tokens", shown);
        return Page.Answer.json(200, json + "\n");
    }

    private static boolean mayManage(Caller caller, Set<String> projects) {
        return caller.scope().equals(Scope.EVERYTHING)
                || (!projects.isEmpty()
                        && projects.stream().allMatch(caller.scope()::includesAllOf));
    }

    private Page.Answer change(Page.Request request) {
        request.attempt().require(Role.ADMIN);
        JsonObject asked = parsed(request.body());
        String name = text(asked, "name");
        return switch (text(asked, "action")) {
            case "create" -> create(request, name, asked);
            case "revoke" -> revoke(request, name);
            default -> throw PetrichorException.invalid("the action is create or revoke");
        };
    }

    private static void authorize(Page.Request request, Set<String> projects) {
        if (projects.isEmpty()) {
            request.attempt().requireEverywhere(Role.ADMIN);
        }
        projects.forEach(project -> request.attempt().requireProject(Role.ADMIN, project));
    }

    private Page.Answer create(Page.Request request, String name, JsonObject asked) {
        Set<String> projects = new TreeSet<>();
        if (asked.get("projects") instanceof JsonArray given) {
            given.forEach(each -> projects.add(string(each)));
        }
        authorize(request, projects);
        Role role =
                Role.of(text(asked, "role"))
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "the role is view, deploy, read, write or admin"));
        if (!required) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "this server accepts requests without a token, so tokens would protect nothing;"
                            + " set auth.token first");
        }
        String token = tokens.issue(name, role, projects, lifetime(asked.get("expiresSeconds")));
        JsonObject json = tokens.require(name).shown();
        json.addProperty("token", token);
        return Page.Answer.json(200, json + "\n");
    }

    private static Optional<Duration> lifetime(@Nullable JsonElement seconds) {
        if (seconds == null) {
            return Optional.empty();
        }
        long given;
        try {
            given = seconds.getAsLong();
        } catch (RuntimeException invalid) {
            given = 0;
        }
        if (given < 1 || given > LIFETIME_MAX.toSeconds()) {
            throw PetrichorException.invalid(
                    "expiresSeconds is a number from 1 to {secondsMax}",
                    "secondsMax",
                    LIFETIME_MAX.toSeconds());
        }
        return Optional.of(Duration.ofSeconds(given));
    }

    private Page.Answer revoke(Page.Request request, String name) {
        IssuedToken known = tokens.require(name);
        authorize(request, known.projects());
        tokens.revoke(name);
        return Page.Answer.json(200, known.shown() + "\n");
    }

    private static JsonObject parsed(byte[] body) {
        try {
            return JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (JsonParseException | IllegalStateException invalid) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT, invalid, "the body is not a JSON object");
        }
    }

    private static String text(JsonObject json, String name) {
        JsonElement value = json.get(name);
        return value == null ? "" : string(value);
    }

    private static String string(JsonElement value) {
        if (!value.isJsonPrimitive()) {
            throw PetrichorException.invalid("name, role and projects are texts");
        }
        return value.getAsString();
    }
}
