package petrichor.testing.cluster;

import static petrichor.testing.cluster.LabClient.number;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;

/**
 * Inserts and deletes entities with the same indexed value, so that the same index rows are added
 * and removed repeatedly. In every snapshot the index must contain exactly the existing entities.
 */
final class SameValues implements Workload {
    private static final String LAMP = "Lamp";
    private static final String LIT = "lit";
    private static final long VALUE = 7;
    private static final List<String> NAMES =
            IntStream.range(0, 6).mapToObj(number -> "lamp-" + number).toList();

    private final Findings findings;

    SameValues(Findings findings) {
        this.findings = findings;
    }

    @Override
    public String name() {
        return "values";
    }

    @Override
    public void prepare(LabClient client) {}

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        try {
            LabClient.Work work = client.begin();
            if (chance.nextInt(3) == 0) {
                Set<String> indexed = work.query(LabClient.equal(LAMP, LIT, VALUE)).keySet();
                Set<String> there = work.lookup(client.keys(LAMP, NAMES)).keySet();
                if (!indexed.equals(there)) {
                    findings.add(
                            name(),
                            "the index shows " + indexed + ", but the entities are " + there);
                }
                return false;
            }
            Key key = client.key(LAMP, NAMES.get(chance.nextInt(NAMES.size())));
            Map<String, Entity> found = work.lookup(List.of(key));
            if (found.isEmpty()) {
                work.upsert(key, Map.of(LIT, number(VALUE)));
            } else {
                work.delete(key);
            }
            return work.commit() == LabClient.Outcome.COMMITTED;
        } catch (PetrichorException failed) {
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
            return false;
        }
    }
}
