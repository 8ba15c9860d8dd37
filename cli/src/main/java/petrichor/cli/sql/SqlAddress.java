package petrichor.cli.sql;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.sql.SqlTarget.Encryption;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flags that select a database at the SQL port of a running server. */
final class SqlAddress {
    private static final int STANDARD_PORT = 5432;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "postgresql://[USER[:PASSWORD]@]HOST[:PORT]/PROJECT[/DATABASE], as `petrichor"
                            + " up` prints it; instead of the options for its parts")
    private @Nullable String url;

    @Option(
            names = "--host",
            description =
                    "Host of the server. Default: that of DATASTORE_EMULATOR_HOST, else localhost")
    private @Nullable String host;

    @Option(names = "--port", description = "SQL port of the server (sql.port). Default: 5432")
    private @Nullable Integer port;

    @Option(
            names = "--project",
            description =
                    "Project id. Default: DATASTORE_PROJECT_ID, DATASTORE_DATASET or"
                            + " GOOGLE_CLOUD_PROJECT, else demo")
    private @Nullable String project;

    @Option(names = "--database", description = "Named database. Default: the default one")
    private @Nullable String database;

    @Option(names = "--user", description = "Value of current_user. Default: your user name")
    private @Nullable String user;

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

    /**
     * The database that the flags and the argument select.
     *
     * @param argument PROJECT, PROJECT/DATABASE or a URL; empty if the flags select it
     */
    SqlTarget target(String argument) {
        if (argument.contains("://")) {
            if (url != null) {
                throw wrong("the URL is given twice, as argument and as --url");
            }
            return ofUrl(argument);
        }
        if (url != null) {
            if (!argument.isEmpty()) {
                throw wrong("--url already names a database; " + argument + " names another one");
            }
            return ofUrl(url);
        }
        if (!argument.isEmpty() && (project != null || database != null)) {
            throw wrong("a database is given as argument, and by --project or --database");
        }
        int at = port == null ? STANDARD_PORT : port;
        if (at < 1 || at > ServerAddress.PORT_MAX) {
            throw wrong(
                    "--port must be a whole number from 1 to "
                            + ServerAddress.PORT_MAX
                            + ", not "
                            + at);
        }
        String named =
                (project == null ? ServerAddress.standardProject() : project)
                        + (database == null ? "" : "/" + database);
        return new SqlTarget(
                host == null ? ServerAddress.standardHost() : host,
                at,
                argument.isEmpty() ? named : argument,
                user == null ? System.getProperty("user.name") : user,
                secret(),
                encryption());
    }

    private SqlTarget ofUrl(String text) {
        if (host != null || port != null || project != null || database != null) {
            throw wrong("--host, --port, --project and --database are parts of the URL already");
        }
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme());
            String path = String.valueOf(uri.getPath()).replaceFirst("^/", "");
            if (!(scheme.equals("postgresql") || scheme.equals("postgres"))
                    || uri.getHost() == null
                    || path.isEmpty()) {
                throw wrong(text + " is not like postgresql://localhost:5432/demo");
            }
            String[] login = String.valueOf(uri.getRawUserInfo()).split(":", 2);
            boolean named = uri.getRawUserInfo() != null;
            return new SqlTarget(
                    uri.getHost().replaceAll("^\\[|]$", ""),
                    uri.getPort() < 0 ? STANDARD_PORT : uri.getPort(),
                    path,
                    user != null
                            ? user
                            : named ? decoded(login[0]) : System.getProperty("user.name"),
                    token == null && login.length > 1 ? decoded(login[1]) : secret(),
                    encryption());
        } catch (URISyntaxException invalid) {
            throw new ParameterException(
                    spec.commandLine(),
                    "the URL is not like postgresql://localhost:5432/demo: " + invalid.getReason(),
                    invalid);
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private String secret() {
        String secret = token == null ? System.getenv("PETRICHOR_TOKEN") : token;
        return secret == null ? "" : secret;
    }

    private Encryption encryption() {
        return tls || tlsTrust != null
                ? new Encryption.Verified(Optional.ofNullable(tlsTrust))
                : new Encryption.None();
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }
}
