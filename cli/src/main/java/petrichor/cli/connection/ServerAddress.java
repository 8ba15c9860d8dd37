package petrichor.cli.connection;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;
import petrichor.server.Server;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.logs.Logging;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The flags that select the data: a running server ({@code --host} and {@code --port}, else
 * DATASTORE_EMULATOR_HOST, else localhost:8081), or a data folder that no server has open. For a
 * folder, a server is started in this process on a free loopback port.
 */
public final class ServerAddress {
    private static final String STANDARD_HOST = "localhost";
    public static final int STANDARD_PORT = 8081;
    public static final int PORT_MAX = 65_535;
    private static final String STANDARD_PROJECT = "demo";
    private static final List<String> HOST_VARIABLES = List.of("DATASTORE_EMULATOR_HOST");
    private static final List<String> PROJECT_VARIABLES =
            List.of("DATASTORE_PROJECT_ID", "DATASTORE_DATASET", "GOOGLE_CLOUD_PROJECT");

    /**
     * Logs failures that {@link DatastoreClient} also throws; referenced here so that it is not
     * garbage-collected.
     */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--host",
            description =
                    "Host of a running server. Default: DATASTORE_EMULATOR_HOST, else localhost")
    private @Nullable String host;

    @Option(names = "--port", description = "Port of a running server. Default: 8081")
    private @Nullable Integer port;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Open this data folder directly; no server may be using it.")
    private @Nullable Path data;

    @Option(
            names = "--project",
            description =
                    "Project id. Default: DATASTORE_PROJECT_ID, DATASTORE_DATASET or"
                            + " GOOGLE_CLOUD_PROJECT, else demo")
    private List<String> projects = new ArrayList<>();

    @Option(names = "--database", description = "Named database. Default: the default one")
    private List<String> databases = new ArrayList<>();

    @Option(names = "--tls", description = "Connect with TLS.")
    private boolean tls;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description =
                    "Connect with TLS and trust the certificates in this PEM file instead of the"
                            + " system's.")
    private @Nullable Path tlsTrust;

    @Option(
            names = "--token",
            description = "Token for a server that requires one. Default: PETRICHOR_TOKEN")
    private @Nullable String token;

    /** A client, and its server if it runs in this process. */
    public record Connection(DatastoreClient client, @Nullable Server server)
            implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            if (server != null) {
                server.close();
            }
        }
    }

    public DatabaseName databaseName() {
        return new DatabaseName(
                givenProject()
                        .filter(id -> !id.isEmpty())
                        .orElseGet(ServerAddress::standardProject),
                single("--database", databases).orElse(""));
    }

    /** The project of the environment, else demo. */
    public static String standardProject() {
        for (String variable : PROJECT_VARIABLES) {
            String id = System.getenv(variable);
            if (id != null) {
                return id.isEmpty() ? STANDARD_PROJECT : id;
            }
        }
        return STANDARD_PROJECT;
    }

    /** The host of the environment, else localhost. */
    public static String standardHost() {
        for (String variable : HOST_VARIABLES) {
            String value = System.getenv(variable);
            if (value != null && !value.isEmpty()) {
                return value.replaceFirst("^https?://", "").replaceFirst(":\\d*$", "");
            }
        }
        return STANDARD_HOST;
    }

    private Optional<String> single(String option, List<String> values) {
        if (values.size() > 1) {
            throw wrong(option + " is given more than once");
        }
        return values.stream().findFirst();
    }

    /** The project that the command line names. */
    public Optional<String> givenProject() {
        return single("--project", projects);
    }

    /** For the command that takes several. */
    public List<String> givenProjects() {
        return projects;
    }

    /** For the command that takes several. */
    public List<String> givenDatabases() {
        return databases;
    }

    /** Whether the command line selects the data; the environment does not matter. */
    public boolean isGiven() {
        return host != null || port != null || data != null;
    }

    /** Sends a request to a page of the server, and returns the answer. */
    public JsonObject change(String page, JsonObject request) throws InterruptedException {
        try (Connection connection = connect(false)) {
            return ServerPage.change(connection.client().address(), page, token(), tls(), request);
        }
    }

    /** A request about the chosen database. */
    public JsonObject request(String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", databaseName().project());
        request.addProperty("database", databaseName().database());
        return request;
    }

    /** {@code create} allows a data folder that does not exist yet. */
    public Connection connect(boolean create) {
        if (data != null) {
            if (host != null || port != null) {
                throw wrong(
                        "--data names a folder, --host and --port a running server; use one or the"
                                + " other");
            }
            return openFolder(data, create);
        }
        Listening at = listening();
        GRPC.setLevel(Level.OFF);
        return new Connection(DatastoreClient.open(at.host(), at.port(), token(), tls()), null);
    }

    /** Null if the connection does not use TLS. */
    public @Nullable SSLContext tls() {
        return data == null && (tls || tlsTrust != null)
                ? TrustedCertificates.context(tlsTrust)
                : null;
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    /** Empty if no token is set. */
    public String token() {
        String secret = token == null ? System.getenv("PETRICHOR_TOKEN") : token;
        return secret == null ? "" : secret;
    }

    /** Address of the running server. */
    private record Listening(String host, int port) {}

    private Listening listening() {
        if (port != null && (port < 1 || port > PORT_MAX)) {
            throw wrong("--port must be a whole number from 1 to " + PORT_MAX + ", not " + port);
        }
        String found = "";
        for (String variable : HOST_VARIABLES) {
            String value = System.getenv(variable);
            found = value == null ? found : value.replaceFirst("^https?://", "");
        }
        int colon = found.lastIndexOf(':');
        String foundHost = colon < 0 ? found : found.substring(0, colon);
        int foundPort = colon < 0 ? STANDARD_PORT : parsePort(found.substring(colon + 1));
        // A host on the command line cannot be combined with a port from the environment.
        return new Listening(
                host != null ? host : foundHost.isEmpty() ? STANDARD_HOST : foundHost,
                port != null ? port : host != null ? STANDARD_PORT : foundPort);
    }

    private static int parsePort(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > PORT_MAX) {
            throw PetrichorException.invalid(
                    "DATASTORE_EMULATOR_HOST ends with \"{text}\", which is not a port; it should"
                            + " look like localhost:8081",
                    "text",
                    text);
        }
        return Integer.parseInt(text);
    }

    private static Connection openFolder(Path folder, boolean create) {
        if (!create && !isFilled(folder)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "{folder} holds no data; `petrichor up --data {folder}` creates it",
                    "folder",
                    folder);
        }
        Map<ConfigKey, String> flags = new EnumMap<>(ConfigKey.class);
        flags.put(ConfigKey.STORE_DATA, folder.toString());
        flags.put(ConfigKey.SERVER_PORT, "0");
        flags.put(ConfigKey.SERVER_HOST, "127.0.0.1");
        flags.put(ConfigKey.LOG_LEVEL, "warn");
        ServerConfig config = ServerConfig.of(Settings.read(Optional.empty(), Map.of(), flags));
        Logging.install(config.log());
        Server server = Server.start(config);
        return new Connection(DatastoreClient.open("127.0.0.1", server.port()), server);
    }

    private static boolean isFilled(Path folder) {
        try (Stream<Path> inside = Files.list(folder)) {
            return inside.findAny().isPresent();
        } catch (java.io.IOException missing) {
            return false;
        }
    }
}
