package petrichor.testing.cluster;

import static petrichor.testing.cluster.LabClient.number;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Pairs of accounts of which either may be overdrawn, but not both: a withdrawal reads both and
 * writes one. Under snapshot isolation, two concurrent withdrawals would overdraw both (write
 * skew).
 */
final class WriteSkew implements Workload {
    private static final String PURSE = "Purse";
    private static final String BALANCE = "balance";
    private static final int PAIRS = 4;

    private final Findings findings;

    WriteSkew(Findings findings) {
        this.findings = findings;
    }

    @Override
    public String name() {
        return "skew";
    }

    /** Missing accounts have a balance of 0. */
    @Override
    public void prepare(LabClient client) {}

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        int pair = chance.nextInt(PAIRS);
        List<Key> keys = client.keys(PURSE, List.of(pair + "-left", pair + "-right"));
        try {
            if (chance.nextInt(4) == 0) {
                check(pair, client.lookup(keys));
                return false;
            }
            LabClient.Work work = client.begin();
            Map<String, Entity> both = work.lookup(keys);
            long left = balance(both.get(pair + "-left"));
            long right = balance(both.get(pair + "-right"));
            check(pair, both);
            boolean takesLeft = chance.nextBoolean();
            // Usually the whole sum, so that any concurrent withdrawal would overdraw both.
            long amount = left + right > 0 ? -(left + right) : 1 + chance.nextInt(50);
            long next = (takesLeft ? left : right) + amount;
            work.upsert(keys.get(takesLeft ? 0 : 1), Map.of(BALANCE, number(next)));
            return work.commit() == LabClient.Outcome.COMMITTED;
        } catch (PetrichorException failed) {
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
            return false;
        }
    }

    private void check(int pair, Map<String, Entity> both) {
        long sum = both.values().stream().mapToLong(WriteSkew::balance).sum();
        if (sum < 0) {
            findings.add(name(), "pair " + pair + " is overdrawn: " + sum);
        }
    }

    private static long balance(@Nullable Entity purse) {
        return purse == null ? 0 : number(purse, BALANCE);
    }
}
