package polls;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.PathElement;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import java.util.Map;
import java.util.TreeMap;

/** Polls stored with Google's Datastore client; choices are children of their poll. Thread-safe. */
final class Polls {
    static final int CHOICE_MAX = 100;

    private static final String POLL = "Poll";
    private static final String CHOICE = "Choice";
    private static final String VOTES = "votes";

    private final Datastore datastore;

    Polls(Datastore datastore) {
        this.datastore = datastore;
    }

    /** Counts a vote in a transaction, which the client repeats after a conflict. */
    void vote(String poll, String choice) {
        Key key =
                datastore
                        .newKeyFactory()
                        .addAncestor(PathElement.of(POLL, poll))
                        .setKind(CHOICE)
                        .newKey(choice);
        datastore.runInTransaction(
                transaction -> {
                    Entity known = transaction.get(key);
                    long votes = known == null ? 0 : known.getLong(VOTES);
                    return transaction.put(Entity.newBuilder(key).set(VOTES, votes + 1).build());
                });
    }

    /** Votes by choice. */
    Map<String, Long> result(String poll) {
        Key key = datastore.newKeyFactory().setKind(POLL).newKey(poll);
        Query<Entity> query =
                Query.newEntityQueryBuilder()
                        .setKind(CHOICE)
                        .setFilter(PropertyFilter.hasAncestor(key))
                        .build();
        Map<String, Long> result = new TreeMap<>();
        datastore
                .run(query)
                .forEachRemaining(
                        choice -> result.put(choice.getKey().getName(), choice.getLong(VOTES)));
        return result;
    }
}
