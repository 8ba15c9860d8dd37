package petrichor.testing.cluster;

import static petrichor.testing.cluster.LabClient.number;

import com.google.datastore.v1.Entity;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.PetrichorException;

/**
 * A client claims a place after a query in the same transaction has reported it as free. Two claims
 * of one place mean that a transaction missed a row added to a range that it had read.
 */
final class Phantoms implements Workload {
    private static final String CLAIM = "Claim";
    private static final String PLACE = "place";

    /**
     * Number of places for which clients compete at a time; when all are claimed, the next ones
     * follow.
     */
    private static final int PLACES_AT_A_TIME = 3;

    private static final int CLAIMS_PER_PLACE = 6;

    private final Findings findings;
    private final AtomicLong attempts = new AtomicLong();

    Phantoms(Findings findings) {
        this.findings = findings;
    }

    @Override
    public String name() {
        return "phantoms";
    }

    @Override
    public void prepare(LabClient client) {}

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        long attempt = attempts.getAndIncrement();
        long place = attempt / CLAIMS_PER_PLACE + chance.nextInt(PLACES_AT_A_TIME);
        try {
            if (chance.nextInt(5) == 0) {
                check(place, client.query(LabClient.equal(CLAIM, PLACE, place)));
                return false;
            }
            LabClient.Work work = client.begin();
            Map<String, Entity> claims = work.query(LabClient.equal(CLAIM, PLACE, place));
            check(place, claims);
            if (!claims.isEmpty()) {
                return false;
            }
            work.upsert(client.key(CLAIM, place + "-" + attempt), Map.of(PLACE, number(place)));
            return work.commit() == LabClient.Outcome.COMMITTED;
        } catch (PetrichorException failed) {
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
            return false;
        }
    }

    private void check(long place, Map<String, Entity> claims) {
        if (claims.size() > 1) {
            findings.add(name(), "place " + place + " has the claims " + claims.keySet());
        }
    }
}
