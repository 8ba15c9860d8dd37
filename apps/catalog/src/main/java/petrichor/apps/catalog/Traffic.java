package petrichor.apps.catalog;

import java.util.Map;
import java.util.TreeMap;
import petrichor.base.PetrichorException;

/**
 * How the requests of a service are split among its versions.
 *
 * @param shares thousandths by version, more than 0; the sum is {@link #WHOLE}
 */
public record Traffic(By by, Map<String, Integer> shares) {
    public static final int WHOLE = 1000;

    /** App Engine's limit. */
    private static final int VERSIONS_MAX = 10;

    /** What decides which version a client gets. */
    public enum By {
        COOKIE,
        IP,
        RANDOM
    }

    public Traffic {
        shares = Map.copyOf(shares);
        int sum = shares.values().stream().mapToInt(Integer::intValue).sum();
        if (sum != WHOLE
                || shares.values().stream().anyMatch(share -> share < 1)
                || shares.size() > VERSIONS_MAX) {
            throw PetrichorException.invalid(
                    "the shares {shares} are not those of 1 to {versionsMax} versions, each more"
                            + " than 0, with the sum 1",
                    "shares",
                    new TreeMap<>(shares),
                    "versionsMax",
                    VERSIONS_MAX);
        }
    }

    /** All requests to one version. */
    public static Traffic all(String version) {
        return new Traffic(By.RANDOM, Map.of(version, WHOLE));
    }
}
