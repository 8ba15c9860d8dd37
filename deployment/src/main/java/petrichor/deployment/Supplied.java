package petrichor.deployment;

import java.nio.file.Path;
import java.util.Map;

/**
 * The place of a supply on its host.
 *
 * @param environment variables that the supply needs in addition to the host's, such as the path of
 *     its libraries
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
