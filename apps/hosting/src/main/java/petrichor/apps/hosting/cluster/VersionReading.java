package petrichor.apps.hosting.cluster;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A version on one server.
 *
 * @param instances that are not being stopped
 * @param failing whether its instances do not start there
 * @param plan if that server is the lead of the version; otherwise null
 */
public record VersionReading(
        VersionKey key,
        List<Running> instances,
        Demand demand,
        boolean failing,
        @Nullable Assignment plan) {
    /**
     * An instance.
     *
     * @param requests in progress
     * @param concurrency requests in progress, on average over the last second
     * @param reason why it was started
     */
    public record Running(
            String id, boolean ready, int requests, double concurrency, String reason) {}

    /**
     * Work that waits for instances on that server.
     *
     * @param requests that wait
     * @param waitedMillis since the first of them arrived
     * @param backlog tasks of queues that are due
     */
    public record Demand(int requests, long waitedMillis, int backlog) {
        public static final Demand NONE = new Demand(0, 0, 0);

        public Demand {
            if (requests < 0 || waitedMillis < 0 || backlog < 0) {
                throw PetrichorException.invalid(
                        "{requests} requests have waited for {waitedMillis} ms, and {backlog} tasks"
                                + " wait; none may be negative",
                        "requests",
                        requests,
                        "waitedMillis",
                        waitedMillis,
                        "backlog",
                        backlog);
            }
        }
    }

    /**
     * What the lead has decided.
     *
     * @param wanted instances in the whole cluster
     * @param shares instances by server
     * @param first the server that starts an instance when there is none
     * @param explanation why there are so many
     */
    public record Assignment(
            int wanted, Map<String, Integer> shares, String first, String explanation) {
        public Assignment {
            shares = Map.copyOf(shares);
        }
    }

    public VersionReading {
        instances = List.copyOf(instances);
    }

    int ready() {
        return (int) instances.stream().filter(Running::ready).count();
    }

    int starting() {
        return instances.size() - ready();
    }

    /** Requests that its instances have, or that wait for them. */
    int load() {
        return instances.stream().mapToInt(Running::requests).sum() + demand.requests();
    }

    boolean has(String instance) {
        return instances.stream().anyMatch(each -> each.id().equals(instance));
    }
}
