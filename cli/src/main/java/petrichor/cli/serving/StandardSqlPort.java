package petrichor.cli.serving;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import petrichor.cli.connection.ServerAddress;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/**
 * SQL at PostgreSQL's port for a server at Petrichor's standard port that has no setting for it:
 * unless it needs tokens, or that port is taken.
 *
 * @param warning why there is no SQL, although the server would have it
 */
record StandardSqlPort(Settings settings, Optional<String> warning) {
    private static final int PORT = 5432;

    static StandardSqlPort of(Settings settings) {
        ServerConfig config = ServerConfig.of(settings);
        boolean standard =
                config.server().port() == ServerAddress.STANDARD_PORT
                        && config.server().host().equals("localhost")
                        && !config.auth().required();
        Settings with = settings.orElse(ConfigKey.SQL_PORT, Integer.toString(PORT), "of `up`");
        if (!standard || ServerConfig.of(with).server().sqlPort() != PORT) {
            return new StandardSqlPort(settings, Optional.empty());
        }
        if (config.server().sqlPort() == 0 && taken()) {
            return new StandardSqlPort(
                    settings,
                    Optional.of(
                            "no SQL: port "
                                    + PORT
                                    + " is taken, probably by PostgreSQL; set sql.port to a free"
                                    + " port, or to 0 for none"));
        }
        return new StandardSqlPort(with, Optional.empty());
    }

    private static boolean taken() {
        try (ServerSocket _ = new ServerSocket(PORT, 1, InetAddress.getLoopbackAddress())) {
            return false;
        } catch (IOException taken) {
            return true;
        }
    }
}
