package petrichor.cli.stores;

import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreDeployment;
import petrichor.server.data.StorePlugins;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that select a datastore and the folder of its servers. */
final class StoreChoice {
    private static final Path FOLDER = Path.of("petrichor-stores");

    @Parameters(
            paramLabel = "NAME",
            completionCandidates = StoreNames.class,
            description = "The datastore, such as cassandra; see `petrichor store list`.")
    private String name = "";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the servers and their data. Default: ./petrichor-stores/NAME")
    private @Nullable Path data;

    String name() {
        return name;
    }

    Path folder() {
        return Optional.ofNullable(data).orElse(FOLDER.resolve(name));
    }

    /** Default parent folder of the datastores started from this folder. */
    static Path folderOfAll() {
        return FOLDER;
    }

    /** The default folder of a store. */
    static Path usualFolder(String store) {
        return FOLDER.resolve(store);
    }

    StoreDeployment deployment() {
        return deployment(name);
    }

    static StoreDeployment deployment(String name) {
        // Drivers log warnings about servers that are not ready yet; relevant failures are thrown.
        Logger.getLogger("").setLevel(Level.OFF);
        StorePlugins plugins = StorePlugins.installed();
        StoreDeployment found = plugins.deployment(name).orElseThrow(() -> unknown(name, plugins));
        // Drivers used by readiness probes load classes through the context class loader.
        Thread.currentThread().setContextClassLoader(found.getClass().getClassLoader());
        return found;
    }

    /** NOT_FOUND if no server was ever started in the folder. */
    StoreCluster cluster() {
        return StoreCluster.open(deployment(), folder());
    }

    private static PetrichorException unknown(String name, StorePlugins plugins) {
        String available =
                String.join(
                        ", ", plugins.deployments().stream().map(StoreDeployment::store).toList());
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "unknown datastore '{name}'; available: {available}",
                "name",
                name,
                "available",
                available.isEmpty() ? "none" : available);
    }
}
