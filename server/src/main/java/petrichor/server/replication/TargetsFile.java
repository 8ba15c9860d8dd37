package petrichor.server.replication;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.SecretFile;

/**
 * {@code replication.targets-file}: TOML with a section per deployment to which databases may be
 * replicated. Read whenever a stream connects, so that tokens can be replaced. Clients name a
 * section, so they can neither see the tokens nor make the server connect to other addresses.
 *
 * <pre>
 * [dr]
 * url = "https://petrichor.dr.example.com:8081"
 * token = "…"
 * </pre>
 */
final class TargetsFile {
    private static final String KEY = "replication.targets-file";
    private static final String URL = "url";
    private static final String TOKEN = "token";

    /** What the HTTP client refuses would be quoted in its exception. */
    private static final String TOKEN_CHARACTERS = "[\\x21-\\x7e]*";

    /**
     * A deployment.
     *
     * @param token empty if the deployment requires none
     */
    record Target(URI url, String token) {
        /** Without the token. */
        @Override
        public String toString() {
            return url.toString();
        }
    }

    private final Optional<Path> file;

    TargetsFile(Optional<Path> file) {
        this.file = file;
    }

    /** Fails with the file and the reason, never with a token. */
    Target target(String name) {
        Path path =
                file.orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.FAILED_PRECONDITION,
                                        "No target of replications is configured: set {key} to a"
                                                + " file with a section [{name}], and restart the"
                                                + " server.",
                                        "key",
                                        KEY,
                                        "name",
                                        name));
        TomlParseResult toml = Toml.parse(SecretFile.read(KEY, path));
        if (toml.hasErrors()) {
            // The message of an error may quote a part of a token.
            throw wrong(path, "is not valid TOML");
        }
        if (!(toml.get(List.of(name)) instanceof TomlTable section)) {
            throw wrong(path, "has no section [" + name + "]");
        }
        for (String key : section.keySet()) {
            if (!key.equals(URL) && !key.equals(TOKEN)) {
                throw wrong(
                        path, "has an unknown key in [" + name + "]; a target has url and token");
            }
        }
        String url = text(section, URL);
        if (url == null || !url.matches("https?://[^/?#@]+/?")) {
            throw wrong(path, "needs a url such as https://HOST:PORT in [" + name + "]");
        }
        String token = text(section, TOKEN);
        if (token != null && !token.matches(TOKEN_CHARACTERS)) {
            throw wrong(
                    path,
                    "has a token in ["
                            + name
                            + "] with a character that no HTTP header may have, such as a space or"
                            + " a line break");
        }
        return new Target(URI.create(url.replaceFirst("/$", "")), token == null ? "" : token);
    }

    private static @Nullable String text(TomlTable section, String key) {
        return section.get(List.of(key)) instanceof String text ? text : null;
    }

    private static PetrichorException wrong(Path file, String problem) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{key} {file} {problem}.",
                "key",
                KEY,
                "file",
                file,
                "problem",
                problem);
    }
}
