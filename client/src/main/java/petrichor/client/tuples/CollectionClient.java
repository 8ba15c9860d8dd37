package petrichor.client.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The tuples of a collection. A call fails with NOT_FOUND if the collection does not exist.
 * Thread-safe; streams are confined to one thread.
 */
public final class CollectionClient {
    private static final int KEYS_MAX = 500;
    private static final int PAGE_TUPLES = 500;

    private final TuplesClient client;
    private final String name;
    private final String path;

    CollectionClient(TuplesClient client, String name) {
        this.client = client;
        this.name = name;
        this.path = "/" + TuplesClient.encoded(name);
    }

    public String name() {
        return name;
    }

    private JsonObject call(String verb, JsonObject body) {
        return client.post(path + ":" + verb, body);
    }

    public CollectionState state() {
        return CollectionState.of(client.call(client.at(path)));
    }

    /** The tuples are removed in the background. */
    public void drop() {
        var _ = client.call(client.at(path).DELETE());
    }

    /**
     * Begins to change the placement, while tuples are read and written; {@link #state} has the
     * next placement until the change is complete.
     */
    public CollectionState place(CollectionPlacement placement) {
        JsonObject body = new JsonObject();
        body.add("placement", placement.json());
        return CollectionState.of(call("place", body));
    }

    /**
     * Assigns groups to affinity keys, for tuples that are written from now on.
     *
     * @param groups at most 1,000
     */
    public void assign(Map<String, Integer> groups) {
        JsonObject assigned = new JsonObject();
        groups.forEach(assigned::addProperty);
        JsonObject body = new JsonObject();
        body.add("groups", assigned);
        var _ = call("assignGroups", body);
    }

    /** A mutation that creates or replaces a tuple, for {@link TuplesClient#write}. */
    public TupleMutation putting(String key, ByteString value, Set<String> tags) {
        return TupleMutation.put(name, key, value, tags);
    }

    /** A mutation that deletes a tuple, for {@link TuplesClient#write}. */
    public TupleMutation deleting(String key) {
        return TupleMutation.delete(name, key);
    }

    /** Creates or replaces a tuple; returns its revision. */
    public long put(String key, ByteString value, Set<String> tags) {
        return client.write(List.of(putting(key, value, tags))).getFirst().revision();
    }

    /** As {@link #put(String, ByteString, Set)}, with a text in UTF-8. */
    public long put(String key, String value, String... tags) {
        return put(key, ByteString.copyFromUtf8(value), Set.of(tags));
    }

    /** Whether the tuple existed. */
    public boolean delete(String key) {
        return client.write(List.of(deleting(key))).getFirst().state()
                == MutationOutcome.State.DELETED;
    }

    public Optional<FoundTuple> get(String key) {
        return get(List.of(key)).stream().findFirst();
    }

    /** The tuples that exist, in the order of the keys, all of one version. */
    public List<FoundTuple> get(List<String> keys) {
        List<FoundTuple> found = new ArrayList<>();
        List<String> left = keys;
        long version = 0;
        while (!left.isEmpty()) {
            int count = Math.min(KEYS_MAX, left.size());
            JsonArray page = new JsonArray();
            left.subList(0, count).forEach(page::add);
            JsonObject body = new JsonObject();
            body.add("keys", page);
            body.addProperty("version", version);
            JsonObject answer = call("get", body);
            tuples(answer).forEach(found::add);
            version = answer.get("version").getAsLong();
            List<String> unread = new ArrayList<>();
            TuplesClient.list(answer, "unread").forEach(key -> unread.add(key.getAsString()));
            if (unread.size() == count) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "The server reads none of {count} keys.",
                        "count",
                        count);
            }
            unread.addAll(left.subList(count, left.size()));
            left = unread;
        }
        return found;
    }

    /** All tuples in the order of their keys, of one version; pages are read when needed. */
    public Stream<FoundTuple> scan() {
        return pages("range", new JsonObject());
    }

    /** As {@link #scan}, of the keys that begin with a prefix. */
    public Stream<FoundTuple> scan(String prefix) {
        JsonObject body = new JsonObject();
        body.addProperty("prefix", prefix);
        return pages("range", body);
    }

    /**
     * As {@link #scan}, of a range of keys.
     *
     * @param from empty for the first key
     * @param to not included; empty for all to the last key
     */
    public Stream<FoundTuple> scan(String from, String to) {
        JsonObject body = new JsonObject();
        body.addProperty("from", from);
        body.addProperty("to", to);
        return pages("range", body);
    }

    /** Tuples by tags, all of one version; pages are read when needed. */
    public Stream<FoundTuple> find(TagQuery query) {
        return pages("find", query.json());
    }

    /** Deletes the tuples that meet the conditions, in several commits; returns their number. */
    public long delete(TagQuery query) {
        JsonObject body = query.json();
        long deleted = 0;
        while (true) {
            JsonObject answer = call("deleteByTags", body);
            deleted += answer.has("deleted") ? answer.get("deleted").getAsLong() : 0;
            if (!answer.has("nextPageToken")) {
                return deleted;
            }
            body.add("pageToken", answer.get("nextPageToken"));
        }
    }

    private static List<FoundTuple> tuples(JsonObject answer) {
        return TuplesClient.list(answer, "tuples").stream()
                .map(JsonElement::getAsJsonObject)
                .map(FoundTuple::of)
                .toList();
    }

    private Stream<FoundTuple> pages(String verb, JsonObject body) {
        return StreamSupport.stream(new Pages(verb, body), false);
    }

    /** One page at a time. */
    private final class Pages extends AbstractSpliterator<FoundTuple> {
        private final String verb;
        private final JsonObject body;
        private List<FoundTuple> page = List.of();
        private int at;
        private boolean last;

        Pages(String verb, JsonObject body) {
            super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
            this.verb = verb;
            this.body = body;
            body.addProperty("pageSize", PAGE_TUPLES);
        }

        @Override
        public boolean tryAdvance(Consumer<? super FoundTuple> action) {
            while (at == page.size()) {
                if (last) {
                    return false;
                }
                JsonObject answer = call(verb, body);
                page = tuples(answer);
                at = 0;
                last = !answer.has("nextPageToken");
                body.add("pageToken", answer.get("nextPageToken"));
            }
            action.accept(page.get(at++));
            return true;
        }
    }
}
