package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The machine's settings of proxies, certificates and package registries, which are all that a
 * build gets from the server's environment and home folder. A build can read the credentials in
 * them; they are never logged. Immutable.
 */
final class PassedSettings {
    /** Variables that may pass: proxies, certificates, registries. */
    private static final Pattern VARIABLE =
            Pattern.compile(
                    "(?i:https?_proxy|no_proxy|all_proxy)"
                            + "|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE"
                            + "|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO"
                            + "|PIP_((EXTRA_)?INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|CERT"
                            + "|PROXY|DEFAULT_TIMEOUT|RETRIES)"
                            + "|UV_(DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS"
                            + "|NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT|INSECURE_HOST"
                            + "|INDEX_STRATEGY|NO_INDEX)"
                            + "|(?i:npm_config_(registry|cafile|https?_proxy|proxy|noproxy"
                            + "|strict_ssl|nodedir))"
                            + "|GO(PROXY|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE|VCS)"
                            + "|MAVEN_ARGS|MVNW_REPOURL|MVNW_USERNAME|MVNW_PASSWORD");

    private static final String PIP_FILE = ".config/pip/pip.conf";
    private static final String PIP_LEGACY_FILE = ".pip/pip.conf";
    private static final String UV_FILE = ".config/uv/uv.toml";

    /** pip finds them itself. */
    private static final List<Path> PIP_FILES_OF_SYSTEM =
            List.of(Path.of("/etc/xdg/pip/pip.conf"), Path.of("/etc/pip.conf"));

    /** Files of the home folder that may pass. */
    private static final List<String> FILES =
            List.of(
                    PIP_FILE,
                    PIP_LEGACY_FILE,
                    UV_FILE,
                    ".npmrc",
                    ".config/go/env",
                    ".m2/settings.xml",
                    ".m2/settings-security.xml");

    /** Names another file than those of the home folder. */
    private static final String PIP_CONFIG_FILE = "PIP_CONFIG_FILE";

    private static final long FILE_BYTES_MAX = 1 << 20;

    private final Map<String, String> variables = new TreeMap<>();
    private final Map<String, byte[]> files = new TreeMap<>();

    private final List<String> ofSystem = new ArrayList<>();

    private PassedSettings() {}

    /** Reads the settings now: a change applies to the next build. */
    static PassedSettings of(Map<String, String> environment, Path home) throws IOException {
        PassedSettings settings = new PassedSettings();
        environment.forEach(
                (name, value) -> {
                    if (VARIABLE.matcher(name).matches()) {
                        settings.variables.put(name, value);
                    }
                });
        for (String name : FILES) {
            settings.addFile(name, home.resolve(name));
        }
        String pip = environment.get(PIP_CONFIG_FILE);
        if (pip != null && !pip.isBlank()) {
            settings.addFile(PIP_FILE, Path.of(pip));
        }
        for (Path file : PIP_FILES_OF_SYSTEM) {
            if (isSettings(file)) {
                settings.ofSystem.add(new String(Files.readAllBytes(file), UTF_8));
            }
        }
        return settings;
    }

    private void addFile(String name, Path file) throws IOException {
        if (isSettings(file)) {
            files.put(name, Files.readAllBytes(file));
        }
    }

    private static boolean isSettings(Path file) throws IOException {
        return Files.isRegularFile(file)
                && Files.isReadable(file)
                && Files.size(file) <= FILE_BYTES_MAX;
    }

    Map<String, String> variables() {
        return Map.copyOf(variables);
    }

    /**
     * Further variables of uv: what is configured for pip, if nothing is for uv itself. Empty if uv
     * has no counterpart of a setting.
     */
    Optional<Map<String, String>> forUv() {
        boolean uv =
                variables.keySet().stream().anyMatch(name -> name.startsWith("UV_"))
                        || files.containsKey(UV_FILE);
        if (uv) {
            return Optional.of(Map.of());
        }
        List<String> texts = new ArrayList<>(ofSystem);
        for (String file : List.of(PIP_LEGACY_FILE, PIP_FILE)) {
            if (files.containsKey(file)) {
                texts.add(new String(files.get(file), UTF_8));
            }
        }
        return new PipSettings(texts, variables).asVariablesOfUv();
    }

    /** Writes the files into the home folder of a build. */
    void writeFiles(Path home, @Nullable BuildUser owner) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path target = home;
            for (Path component : Path.of(file.getKey())) {
                if (!target.equals(home)) {
                    Path _ = FileTrees.folder(target, FileTrees.OWNER_ONLY, owner);
                }
                target = target.resolve(component);
            }
            Path _ = Files.write(target, file.getValue());
            FileTrees.setMode(target, 0600);
            if (owner != null) {
                FileTrees.setOwner(target, owner.uid(), owner.gid());
            }
        }
    }
}
