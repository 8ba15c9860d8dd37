package petrichor.apps.router.table;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;

/**
 * The split of a service's traffic among its versions. Clients are assigned to one of {@link
 * #BUCKETS} buckets, and buckets to versions. The number of buckets of a version is exactly its
 * share, and a change of shares moves few buckets: each version ranks the buckets by a hash, and
 * takes the best ones that are free until its share is complete. Between two versions only the
 * difference of the shares moves. Immutable.
 */
public final class TrafficSplit {
    /** App Engine's number: its cookie and its hash of an address have values from 0 to 999. */
    public static final int BUCKETS = 1000;

    private static final int VERSIONS_MAX = 100;

    private final By by;
    private final Map<String, Integer> shares;
    private final String[] versions = new String[BUCKETS];

    /** What a client's bucket depends on. */
    public enum By {
        /** A cookie, which the router sets with the first response. */
        COOKIE,
        /** The client's address. */
        IP,
        /** Nothing: each request may get another version. */
        RANDOM
    }

    private record Bid(int bucket, String version, long rank) {}

    private TrafficSplit(By by, Map<String, Integer> shares) {
        this.by = by;
        this.shares = Map.copyOf(shares);
        assign();
    }

    /** All traffic to one version. */
    public static TrafficSplit all(String version) {
        return new TrafficSplit(By.RANDOM, Map.of(version, BUCKETS));
    }

    /**
     * @param sharesPerMille by version; the sum is 1000
     */
    public static TrafficSplit of(By by, Map<String, Integer> sharesPerMille) {
        int sum = sharesPerMille.values().stream().mapToInt(Integer::intValue).sum();
        boolean negative = sharesPerMille.values().stream().anyMatch(share -> share < 0);
        if (negative || sum != BUCKETS || sharesPerMille.size() > VERSIONS_MAX) {
            throw PetrichorException.invalid(
                    "a traffic split needs 1 to {versionsMax} versions with shares whose sum is"
                            + " 1000 per mille; here it is {sum}",
                    "versionsMax",
                    VERSIONS_MAX,
                    "sum",
                    sum);
        }
        Map<String, Integer> used = new LinkedHashMap<>(sharesPerMille);
        used.values().removeIf(share -> share == 0);
        return new TrafficSplit(by, used);
    }

    private void assign() {
        List<Bid> bids = new ArrayList<>(shares.size() * BUCKETS);
        for (String version : shares.keySet()) {
            long seed = hash(version);
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                bids.add(new Bid(bucket, version, mix(seed + bucket)));
            }
        }
        bids.sort(Comparator.comparingLong(Bid::rank).thenComparing(Bid::version));
        Map<String, Integer> left = new LinkedHashMap<>(shares);
        for (Bid bid : bids) {
            int free = left.getOrDefault(bid.version(), 0);
            if (free > 0 && versions[bid.bucket()] == null) {
                versions[bid.bucket()] = bid.version();
                left.put(bid.version(), free - 1);
            }
        }
    }

    /** FNV-1a: the same on every server and in every run. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return mix(hash);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    public By by() {
        return by;
    }

    /** Per mille of the buckets, by version. */
    public Map<String, Integer> shares() {
        return shares;
    }

    /** Whether all clients get the same version. */
    public boolean isWhole() {
        return shares.size() == 1;
    }

    public String version(int bucket) {
        return versions[bucket];
    }

    /**
     * The bucket of a client's address. IPv6 clients change the lower half of their address, so
     * only the network counts.
     */
    public static int bucketOf(byte[] address) {
        long hash = 0xcbf29ce484222325L;
        int significant = address.length > 8 ? 8 : address.length;
        for (int i = 0; i < significant; i++) {
            hash = (hash ^ (address[i] & 0xff)) * 0x100000001b3L;
        }
        return (int) Long.remainderUnsigned(mix(hash), BUCKETS);
    }
}
