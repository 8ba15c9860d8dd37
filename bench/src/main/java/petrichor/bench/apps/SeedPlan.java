package petrichor.bench.apps;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What is measured of seed 000.
 *
 * @param stores names of datastores; {@link #EMBEDDED} is that of the server
 * @param perLoad length of each load
 * @param examples folder of the examples
 * @param out folder of results
 */
record SeedPlan(List<String> stores, Duration perLoad, Path examples, Path out) {
    static final String EMBEDDED = "embedded";

    /** As in the seed. */
    private static final Duration LONGEST = Duration.ofMinutes(5);

    /** A filling of the datastore takes at most as long as a load. */
    private static final int LOADS_OF_USERS = 3;

    private static final int LOADS_OF_QUERIES = 6;
    private static final int LOADS_OF_BATCHES = 1;
    private static final double SECONDS_PER_MINUTE = 60;

    SeedPlan {
        stores = List.copyOf(stores);
    }

    /** All loads together take so many minutes, without the starts of servers and deployments. */
    static Duration perLoad(double minutes, List<AppsCommand.Part> parts, int stores) {
        int loads = 0;
        for (AppsCommand.Part part : parts) {
            loads +=
                    switch (part) {
                        case USERS -> LOADS_OF_USERS;
                        case QUERIES -> LOADS_OF_QUERIES;
                        case BATCHES -> LOADS_OF_BATCHES;
                        case DEPLOY, SWITCH, START, SURGE, IDLE, ROUTER -> 0;
                    };
        }
        double seconds = minutes * SECONDS_PER_MINUTE / Math.max(1, loads * stores);
        return Duration.ofMillis(Math.min(LONGEST.toMillis(), Math.round(seconds * 1e3)));
    }
}
