package petrichor.server;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.rocksdb.RocksOptions;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.FileHandles;
import petrichor.server.tokens.ConfiguredTokens;

/** The configuration as the front end of the server's main port needs it. */
final class FrontEndOptions {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndOptions.class);

    private FrontEndOptions() {}

    static FrontEndSettings of(ServerConfig config) {
        return new FrontEndSettings(
                ListenAddress.of(config),
                config.server().port(),
                config.tls().orElse(null),
                ConfiguredTokens.read(config.auth()),
                names(config.server()),
                limits(config),
                config.store().url().isPresent() || !config.store().placed().rules().isEmpty()
                        ? FrontEndSettings.Execution.forStoreElsewhere()
                        : FrontEndSettings.Execution.forThisMachine());
    }

    /** Whether the store is a folder of this process. */
    static boolean embedded(ServerConfig config) {
        return config.store().url().isEmpty() && !config.store().memory();
    }

    /** Limits connections so that enough file handles remain for the store. */
    private static FrontEndSettings.Limits limits(ServerConfig config) {
        int store =
                embedded(config)
                        ? FileHandles.forEmbeddedStore(
                                FileHandles.max(), RocksOptions.DEFAULT.openFilesMax())
                        : FileHandles.FOR_STORE_ELSEWHERE;
        int configured = config.limits().connectionsMax();
        int connections =
                FileHandles.connections(configured, FileHandles.max(), FileHandles.open(), store);
        if (connections < configured) {
            // A small reduction is normal; a large one is worth a warning.
            LOG.atLevel(connections < configured / 2 ? Level.WARN : Level.DEBUG)
                    .log(
                            "limiting connections to {} instead of {} (limits.connections-max):"
                                    + " this process may open only {} files (ulimit -n)",
                            connections,
                            configured,
                            FileHandles.max());
        }
        return config.limits().withConnectionsMax(connections);
    }

    /** The configured host is also a name of the server. */
    private static Set<String> names(ServerConfig.Listen server) {
        Set<String> names = new HashSet<>(server.names());
        names.add(server.host().toLowerCase(Locale.ROOT));
        return names;
    }
}
