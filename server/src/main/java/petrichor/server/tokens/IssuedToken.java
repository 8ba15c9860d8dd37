package petrichor.server.tokens;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.access.TokenHash;

/**
 * A token that a server issued, by its hash.
 *
 * @param projects that it may access; empty for all
 */
public record IssuedToken(
        String name, Role role, Set<String> projects, TokenHash hash, Times times) {
    static final int PROJECTS_MAX = 100;

    /** When a token was created, expires, and was used at last. */
    record Times(Instant created, Optional<Instant> expires, Optional<Instant> used) {}

    public IssuedToken {
        TokensFile.requireName(name);
        projects = Set.copyOf(projects);
        if (projects.size() > PROJECTS_MAX || projects.contains("")) {
            throw PetrichorException.invalid(
                    "a token is for up to {projectsMax} projects, or without a project for all",
                    "projectsMax",
                    PROJECTS_MAX);
        }
    }

    Scope scope() {
        return projects.isEmpty() ? Scope.EVERYTHING : new Scope.Limited(projects, Set.of());
    }

    Caller caller() {
        return new Caller(name, role, scope());
    }

    boolean validAt(Instant time) {
        return times.expires().map(time::isBefore).orElse(true);
    }

    IssuedToken usedAt(Instant time) {
        boolean later = times.used().map(time::isAfter).orElse(true);
        return later
                ? new IssuedToken(
                        name,
                        role,
                        projects,
                        hash,
                        new Times(times.created(), times.expires(), Optional.of(time)))
                : this;
    }

    /** Without the hash, as administrators see it. */
    public JsonObject shown() {
        JsonObject json = new JsonObject();
        json.addProperty("name", name);
        json.addProperty("role", role.text());
        JsonArray names = new JsonArray();
        new TreeSet<>(projects).forEach(names::add);
        json.add("projects", names);
        json.addProperty("created", times.created().toString());
        times.expires().ifPresent(time -> json.addProperty("expires", time.toString()));
        times.used().ifPresent(time -> json.addProperty("lastUsed", time.toString()));
        return json;
    }

    byte[] encoded() {
        JsonObject json = shown();
        json.addProperty("sha256", hash.hex());
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    static IssuedToken decode(byte[] row) {
        try {
            JsonObject json =
                    JsonParser.parseString(new String(row, StandardCharsets.UTF_8))
                            .getAsJsonObject();
            Set<String> projects = new TreeSet<>();
            for (JsonElement project : json.getAsJsonArray("projects")) {
                projects.add(project.getAsString());
            }
            return new IssuedToken(
                    json.get("name").getAsString(),
                    Role.of(json.get("role").getAsString()).orElseThrow(),
                    projects,
                    TokenHash.parse(json.get("sha256").getAsString()).orElseThrow(),
                    new Times(
                            Instant.parse(json.get("created").getAsString()),
                            time(json, "expires"),
                            time(json, "lastUsed")));
        } catch (RuntimeException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "the row of a token cannot be read; was it written by a newer version?");
        }
    }

    private static Optional<Instant> time(JsonObject json, String name) {
        return Optional.ofNullable(json.get(name))
                .map(JsonElement::getAsString)
                .map(Instant::parse);
    }
}
