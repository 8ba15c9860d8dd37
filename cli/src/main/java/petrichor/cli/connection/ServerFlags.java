package petrichor.cli.connection;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.Settings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flags that configure a server in this process; all other keys are set in the file. */
public final class ServerFlags {
    private static final Path STANDARD_FILE = Path.of("petrichor.toml");
    private static final Path STANDARD_INDEXES = Path.of("index.yaml");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Configuration file. Default: petrichor.toml in this folder, if it exists")
    private @Nullable Path config;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data folder, created if missing. Default: ./petrichor-data")
    private @Nullable Path data;

    @Option(
            names = "--store-url",
            paramLabel = "URL",
            description =
                    "Address of a datastore for the data, instead of a folder; `petrichor store"
                            + " start` prints it.")
    private @Nullable String storeUrl;

    @Option(
            names = "--upstream",
            paramLabel = "URL",
            description =
                    "Answer for another Datastore endpoint, such as"
                            + " https://datastore.googleapis.com; `petrichor upstream` moves its"
                            + " databases here.")
    private @Nullable String upstream;

    @Option(names = "--memory", description = "Keep all data in memory and discard it at exit.")
    private boolean memory;

    @Option(names = "--port", description = "Port to listen on; 0 picks a free one. Default: 8081")
    private @Nullable Integer port;

    @Option(names = "--host", description = "Address to listen on. Default: localhost")
    private @Nullable String host;

    @Option(
            names = "--insecure",
            description = "Allow addresses other than loopback without authentication.")
    private boolean insecure;

    @Option(
            names = "--index-yaml",
            paramLabel = "FILE",
            description =
                    "File of composite indexes. Default: index.yaml in this folder, if it exists")
    private @Nullable Path indexYaml;

    @Option(
            names = "--auto-index",
            negatable = true,
            description =
                    "Create a missing composite index when a query needs it, and log its index.yaml"
                            + " lines. Default: on")
    private @Nullable Boolean autoIndex;

    /** Flags override the environment, which overrides the file, which overrides the defaults. */
    public Settings settings() {
        if (port != null && (port < 0 || port > ServerAddress.PORT_MAX)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--port must be a whole number from 0 to "
                            + ServerAddress.PORT_MAX
                            + ", not "
                            + port);
        }
        Map<ConfigKey, String> flags = new EnumMap<>(ConfigKey.class);
        put(flags, ConfigKey.STORE_DATA, data);
        put(flags, ConfigKey.STORE_URL, storeUrl);
        put(flags, ConfigKey.UPSTREAM_URL, upstream);
        put(flags, ConfigKey.STORE_MEMORY, memory ? "true" : null);
        put(flags, ConfigKey.SERVER_PORT, port);
        put(flags, ConfigKey.SERVER_HOST, host);
        put(flags, ConfigKey.SERVER_INSECURE, insecure ? "true" : null);
        put(flags, ConfigKey.INDEXES_FILE, indexYaml);
        put(flags, ConfigKey.INDEXES_AUTOMATIC, autoIndex);
        Settings settings = Settings.read(file(), System.getenv(), flags);
        return Files.exists(STANDARD_INDEXES)
                ? settings.orElse(
                        ConfigKey.INDEXES_FILE, STANDARD_INDEXES.toString(), "found in this folder")
                : settings;
    }

    private Optional<Path> file() {
        if (config != null) {
            return Optional.of(config);
        }
        return Files.exists(STANDARD_FILE) ? Optional.of(STANDARD_FILE) : Optional.empty();
    }

    private static void put(Map<ConfigKey, String> flags, ConfigKey key, @Nullable Object value) {
        if (value != null) {
            flags.put(key, value.toString());
        }
    }
}
