package petrichor.testing.stores;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.opentest4j.TestAbortedException;
import petrichor.deployment.StoreDeployment;
import petrichor.server.data.StorePlugins;

/** The datastores' plugins beside the built program. */
public final class PackagedStores {
    public static final Path FOLDER =
            Path.of("..", "..", "cli", "target", "stores").toAbsolutePath().normalize();

    private PackagedStores() {}

    /** The deployment of a datastore, from its plugin. */
    public static StoreDeployment deployment(String store) {
        Optional<StoreDeployment> deployment =
                Files.isDirectory(FOLDER)
                        ? StorePlugins.in(FOLDER).deployment(store)
                        : Optional.empty();
        if (deployment.isEmpty() && System.getenv("CI") == null) {
            throw new TestAbortedException(
                    "NOT TESTED: servers over "
                            + store
                            + ". Its plugin is not in "
                            + FOLDER
                            + "; `mvn package` builds it");
        }
        return deployment.orElseThrow();
    }
}
