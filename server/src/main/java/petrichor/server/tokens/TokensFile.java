package petrichor.server.tokens;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.access.SecretFile;
import petrichor.frontends.access.TokenHash;

/**
 * {@code auth.tokens-file}: TOML with a section per token, whose name the audit log shows.
 *
 * <pre>
 * [reports]
 * role = "read"
 * sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
 * projects = ["shop"]
 * databases = ["stock/(default)"]
 * </pre>
 *
 * A token without projects and databases has access to all; one with an empty list has access to
 * none. Stateless.
 */
public final class TokensFile {
    private static final String ROLE = "role";
    private static final String SHA256 = "sha256";
    private static final String PROJECTS = "projects";
    private static final String DATABASES = "databases";
    private static final List<String> KEYS = List.of(ROLE, SHA256, PROJECTS, DATABASES);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");

    private TokensFile() {}

    /** Fails with the file, the token's name and the reason, never with a part of a token. */
    static List<AccessTokens.Token> read(Path file) {
        return parse(SecretFile.read("auth.tokens-file", file), file);
    }

    static List<AccessTokens.Token> parse(String text, Path file) {
        TomlParseResult toml = Toml.parse(text);
        if (toml.hasErrors()) {
            throw PetrichorException.invalid(
                    "{file} is not valid TOML: {errors}",
                    "file",
                    file,
                    "errors",
                    toml.errors().getFirst().toString());
        }
        List<AccessTokens.Token> tokens = new ArrayList<>();
        for (String name : toml.keySet()) {
            if (!(toml.get(List.of(name)) instanceof TomlTable section)) {
                throw wrong(file, name, "is not a section; write [NAME] above the keys of a token");
            }
            tokens.add(token(file, name, section));
        }
        return tokens;
    }

    /**
     * The text of a tokens file with one more section. INVALID_ARGUMENT if the resulting file would
     * be refused.
     */
    public static String withToken(String text, Path file, String section) {
        String whole = text.isBlank() ? section : text.stripTrailing() + "\n\n" + section;
        var _ = AccessTokens.of(parse(whole, file));
        return whole;
    }

    /** INVALID_ARGUMENT for an invalid token name. */
    public static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "\"{name}\" cannot name a token; use up to 63 letters, digits, _ and -, and"
                            + " begin with a letter or digit",
                    "name",
                    name);
        }
    }

    private static AccessTokens.Token token(Path file, String name, TomlTable section) {
        requireName(name);
        for (String key : section.keySet()) {
            if (!KEYS.contains(key)) {
                throw wrong(
                        file,
                        name,
                        "has an unknown key "
                                + key
                                + "; did you mean "
                                + NearestName.of(key, KEYS).orElseThrow()
                                + "?");
            }
        }
        Role role =
                text(section, ROLE)
                        .flatMap(Role::of)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                file,
                                                name,
                                                "needs role = \"read\", write, view,"
                                                        + " deploy or admin"));
        TokenHash hash =
                text(section, SHA256)
                        .flatMap(TokenHash::parse)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                file,
                                                name,
                                                "needs sha256, the 64 hexadecimal digits of its"
                                                        + " hash"));
        return new AccessTokens.Token(new Caller(name, role, scope(file, name, section)), hash);
    }

    private static Optional<String> text(TomlTable section, String key) {
        return section.get(List.of(key)) instanceof String text
                ? Optional.of(text)
                : Optional.empty();
    }

    private static Scope scope(Path file, String name, TomlTable section) {
        if (!section.contains(List.of(PROJECTS)) && !section.contains(List.of(DATABASES))) {
            return Scope.EVERYTHING;
        }
        return new Scope.Limited(
                names(file, name, section, PROJECTS), names(file, name, section, DATABASES));
    }

    private static Set<String> names(Path file, String name, TomlTable section, String key) {
        Object value = section.get(List.of(key));
        if (value == null) {
            return Set.of();
        }
        if (!(value instanceof TomlArray array)
                || !array.toList().stream().allMatch(String.class::isInstance)) {
            throw wrong(file, name, "has " + key + " that is not a list of strings");
        }
        return array.toList().stream()
                .map(Object::toString)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static PetrichorException wrong(Path file, String name, String what) {
        return PetrichorException.invalid(
                "{file}: the token \"{name}\" {problem}",
                "file",
                file,
                "name",
                name,
                "problem",
                what);
    }
}
