package guestbook;

import com.google.cloud.Timestamp;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.IncompleteKey;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.PathElement;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.StringValue;
import com.google.cloud.datastore.StructuredQuery.OrderBy;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import java.util.ArrayList;
import java.util.List;

/** A guestbook stored with Google's Datastore client. Thread-safe. */
final class Guestbook {
    record Greeting(String author, String text, Timestamp written) {}

    private final Datastore datastore;
    private final Key book;

    Guestbook(Datastore datastore, String name) {
        this.datastore = datastore;
        this.book = datastore.newKeyFactory().setKind("Guestbook").newKey(name);
    }

    /** Stores the greeting and updates the count in one transaction; retries after conflicts. */
    void sign(String author, String text) {
        datastore.runInTransaction(
                transaction -> {
                    Entity old = transaction.get(book);
                    long count = old == null ? 0 : old.getLong("greetings");
                    IncompleteKey key =
                            datastore
                                    .newKeyFactory()
                                    .addAncestor(PathElement.of("Guestbook", book.getName()))
                                    .setKind("Greeting")
                                    .newKey();
                    transaction.put(Entity.newBuilder(book).set("greetings", count + 1).build());
                    transaction.add(
                            FullEntity.newBuilder(key)
                                    .set("author", author)
                                    .set(
                                            "text",
                                            StringValue.newBuilder(text)
                                                    .setExcludeFromIndexes(true)
                                                    .build())
                                    .set("written", Timestamp.now())
                                    .build());
                    return null;
                });
    }

    long count() {
        Entity found = datastore.get(book);
        return found == null ? 0 : found.getLong("greetings");
    }

    List<Greeting> newest(int limit) {
        Query<Entity> query =
                Query.newEntityQueryBuilder()
                        .setKind("Greeting")
                        .setFilter(PropertyFilter.hasAncestor(book))
                        .setOrderBy(OrderBy.desc("written"))
                        .setLimit(limit)
                        .build();
        List<Greeting> greetings = new ArrayList<>();
        datastore
                .run(query)
                .forEachRemaining(
                        found ->
                                greetings.add(
                                        new Greeting(
                                                found.getString("author"),
                                                found.getString("text"),
                                                found.getTimestamp("written"))));
        return greetings;
    }
}
