package petrichor.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.FrontEndSettings;

/** Everything that can be configured, with the defaults of a developer's machine. */
public record ServerConfig(
        Listen server, Store store, Access auth, Tls tls, Indexes indexes, Limits limits, Log log) {

    /**
     * @param host to listen on
     * @param port 0 takes a free one
     * @param insecure listens beyond this machine without authentication
     * @param drain how long requests that run may take to end when the server stops
     */
    public record Listen(String host, int port, boolean insecure, Duration drain) {
        public Listen {
            if (port < 0 || port > 65_535) {
                throw PetrichorException.invalid(
                        "server.port is " + port + "; a port is 0 to 65535");
            }
        }
    }

    /**
     * @param memory keeps everything in memory and forgets it at the end
     * @param data folder of the embedded store
     */
    public record Store(boolean memory, Path data) {}

    /** A token in the file or, better, in a file of its own. */
    public record Access(Optional<String> token, Optional<Path> tokenFile) {}

    /** PEM files; both or none. */
    public record Tls(Optional<Path> certificate, Optional<Path> key) {}

    /**
     * @param file index.yaml with the composite indexes
     * @param automatic makes a missing index when a query needs it, as Google's emulator does
     */
    public record Indexes(Optional<Path> file, boolean automatic) {}

    /** See {@link FrontEndSettings.Limits}. */
    public record Limits(
            int requestBytesMax,
            long bufferedBytesMax,
            int connectionsMax,
            int callsPerConnectionMax,
            int headerBytesMax,
            Duration firstBytesWithin,
            Duration requestWithin,
            Duration idleWithin) {}

    /** How the log is written. */
    public record Log(Format format, Level level) {
        /** For people, or for programs: one JSON object per line. */
        public enum Format {
            AUTO,
            HUMAN,
            JSON
        }

        /** The least important line that is written. */
        public enum Level {
            DEBUG,
            INFO,
            WARN,
            ERROR
        }
    }

    public static ServerConfig defaults() {
        FrontEndSettings.Limits limits = FrontEndSettings.Limits.DEFAULT;
        return new ServerConfig(
                new Listen("localhost", 8081, false, Duration.ofSeconds(10)),
                new Store(false, Path.of("petrichor-data")),
                new Access(Optional.empty(), Optional.empty()),
                new Tls(Optional.empty(), Optional.empty()),
                new Indexes(Optional.empty(), true),
                new Limits(
                        limits.requestBytesMax(),
                        limits.bufferedBytesMax(),
                        limits.connectionsMax(),
                        limits.callsPerConnectionMax(),
                        limits.headerBytesMax(),
                        limits.firstBytesWithin(),
                        limits.requestWithin(),
                        limits.idleWithin()),
                new Log(Log.Format.AUTO, Log.Level.INFO));
    }

    public ServerConfig withPort(int port) {
        return new ServerConfig(
                new Listen(server.host(), port, server.insecure(), server.drain()),
                store,
                auth,
                tls,
                indexes,
                limits,
                log);
    }

    public ServerConfig withMemory() {
        return new ServerConfig(
                server, new Store(true, store.data()), auth, tls, indexes, limits, log);
    }

    public ServerConfig withData(Path data) {
        return new ServerConfig(server, new Store(false, data), auth, tls, indexes, limits, log);
    }
}
