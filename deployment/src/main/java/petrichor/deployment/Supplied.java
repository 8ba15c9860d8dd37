package petrichor.deployment;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where a supply lies on its host.
 *
 * @param environment what the host's environment lacks for it, such as the path of its libraries
 */
record Supplied(Path place, Map<String, String> environment) {
    static final String LIBRARY_PATH = "LD_LIBRARY_PATH";

    Supplied {
        environment = Map.copyOf(environment);
    }

    static Supplied at(Path place) {
        return new Supplied(place, Map.of());
    }
}
