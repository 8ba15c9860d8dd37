package petrichor.server.replication;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.SecretFile;

/**
 * {@code replication.targets-file}: TOML with a section per deployment or file to which databases
 * may be replicated. Read whenever a stream connects, so that tokens can be replaced. Clients name
 * a section, so they can neither see the tokens nor make the server connect to other addresses.
 *
 * <pre>
 * [dr]
 * url = "https://petrichor.dr.example.com:8081"
 * token = "…"
 *
 * [warehouse]
 * url = "duckdb:/data/shop.duckdb"
 * </pre>
 */
final class TargetsFile {
    private static final String KEY = "replication.targets-file";
    private static final String URL = "url";
    private static final String TOKEN = "token";
    private static final String CA_FILE = "ca-file";
    private static final String INTERVAL = "interval-ms";
    private static final String STATE_FILE = "state-file";
    private static final Set<String> DEPLOYMENT_KEYS = Set.of(URL, TOKEN, CA_FILE);
    private static final Set<String> FILE_KEYS = Set.of(URL, INTERVAL, STATE_FILE);
    private static final long INTERVAL_MS_MAX = Duration.ofDays(1).toMillis();

    /** A request waits for it. */
    private static final long DUCKDB_INTERVAL_MS_MAX = 5_000;

    /** What the HTTP client refuses would be quoted in its exception. */
    private static final String TOKEN_CHARACTERS = "[\\x21-\\x7e]*";

    /** Where a replica is. */
    sealed interface Target {}

    /**
     * A database of another deployment.
     *
     * @param token empty if the deployment requires none
     * @param caFile certificates of its authority in PEM; empty: those that Java trusts
     */
    record Deployment(URI url, String token, Optional<Path> caFile) implements Target {
        /** Without the token. */
        @Override
        public String toString() {
            return url.toString();
        }
    }

    /** Files that this server writes. */
    record Files(FilePlace place) implements Target {}

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
        String url = text(section, URL);
        boolean files = url != null && FilePlace.isFile(url);
        Set<String> keys = files ? FILE_KEYS : DEPLOYMENT_KEYS;
        for (String key : section.keySet()) {
            if (!keys.contains(key)) {
                throw wrong(
                        path,
                        "has an unknown key in ["
                                + name
                                + "]; a deployment has url, token and ca-file, a target in files"
                                + " has url, interval-ms and state-file");
            }
        }
        return url != null && files
                ? files(path, name, url, section)
                : deployment(path, name, url, section);
    }

    private static Target deployment(
            Path path, String name, @Nullable String url, TomlTable section) {
        if (url == null || !url.matches("https?://[^/?#@]+/?")) {
            throw wrong(
                    path,
                    "needs a url such as https://HOST:PORT, duckdb:/FILE or parquet:/FOLDER in ["
                            + name
                            + "]");
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
        return new Deployment(
                URI.create(url.replaceFirst("/$", "")),
                token == null ? "" : token,
                Optional.ofNullable(text(section, CA_FILE)).map(Path::of));
    }

    private static Target files(Path path, String name, String url, TomlTable section) {
        Duration interval = null;
        if (section.contains(List.of(INTERVAL))) {
            long most = FilePlace.isDuckDb(url) ? DUCKDB_INTERVAL_MS_MAX : INTERVAL_MS_MAX;
            if (!(section.get(List.of(INTERVAL)) instanceof Long millis)
                    || millis < 0
                    || millis > most) {
                throw wrong(
                        path,
                        "needs a number from 0 to " + most + " as interval-ms in [" + name + "]");
            }
            interval = Duration.ofMillis(millis);
        }
        String state = text(section, STATE_FILE);
        return switch (FilePlace.parse(url, interval, state == null ? null : Path.of(state))) {
            case FilePlace.Right(FilePlace place) -> new Files(place);
            case FilePlace.Wrong(String problem) ->
                    throw wrong(path, problem + " in [" + name + "]");
        };
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
