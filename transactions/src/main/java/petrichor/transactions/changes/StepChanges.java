package petrichor.transactions.changes;

import java.util.ArrayList;
import java.util.List;

/** The commits of a durable step, in order. Confined to the thread that plans the step. */
public final class StepChanges {
    private final List<ChangeRecord.Commit> commits = new ArrayList<>();

    /**
     * @param keys of the rows that it changes, without those that are functions of them; not copied
     */
    public void add(long version, List<byte[]> keys) {
        commits.add(new ChangeRecord.Commit(version, keys));
    }

    List<ChangeRecord.Commit> commits() {
        return commits;
    }
}
