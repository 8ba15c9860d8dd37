package petrichor.deployment;

import java.nio.file.Path;
import java.util.Map;

/**
 * The place of a supply on its host.
 *
 * @param environment variables that the supply needs in addition to the host's, such as the path of
 *     its libraries
 */
record InstalledDependency(Path place, Map<String, String> environment) {
    static final String LIBRARY_PATH = "LD_LIBRARY_PATH";

    InstalledDependency {
        environment = Map.copyOf(environment);
    }

    static InstalledDependency at(Path place) {
        return new InstalledDependency(place, Map.of());
    }
}
