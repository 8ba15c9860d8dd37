import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.client.tuples.CollectionClient;
import petrichor.client.tuples.CollectionPlacement;
import petrichor.client.tuples.CollectionState;
import petrichor.client.tuples.FoundTuple;
import petrichor.client.tuples.TagQuery;
import petrichor.client.tuples.TupleMutation;
import petrichor.client.tuples.TuplesClient;

/** Tweets beside their authors, found by mention and day. */
public final class Tweets {
    private static final Map<String, List<String>> FOLLOWED =
            Map.of("ann", List.of("bob", "cy"), "bob", List.of("ann"), "cy", List.of());

    private Tweets() {}

    public static void main(String[] args) {
        String server = args.length > 0 ? args[0] : "http://localhost:8081";
        try (TuplesClient client = TuplesClient.of(server, "tweets")) {
            for (CollectionState known : client.collections()) {
                client.collection(known.name()).drop();
            }
            CollectionClient users = client.create("users", new CollectionPlacement.Ordered());
            CollectionClient tweets =
                    client.create("tweets", new CollectionPlacement.Colocated("users", "/"));
            FOLLOWED.forEach((name, followees) -> users.put(name, String.join(",", followees)));
            for (int day = 1; day <= 7; day++) {
                for (String name : FOLLOWED.keySet()) {
                    write(client, users, tweets, name, day);
                }
            }
            long timeline =
                    users.get("ann").orElseThrow().value().toStringUtf8().lines()
                            .flatMap(followees -> List.of(followees.split(",")).stream())
                            .mapToLong(name -> tweets.scan(name + "/").count())
                            .sum();
            System.out.println(timeline + " tweets of those that ann follows");
            List<String> mentions =
                    tweets.find(TagQuery.all("mention=ann", "day=05..07"))
                            .map(FoundTuple::key)
                            .sorted()
                            .toList();
            System.out.println("mentions of ann: " + String.join(" ", mentions));
            System.out.println("deleted " + tweets.delete(TagQuery.any("day=01", "day=02")));
        }
    }

    /** A tweet and the counter of its author change together, or not at all. */
    private static void write(
            TuplesClient client, CollectionClient users, CollectionClient tweets, String name, int day) {
        List<TupleMutation> mutations = new ArrayList<>();
        mutations.add(
                tweets.putting(
                        "%s/%02d".formatted(name, day),
                        ByteString.copyFromUtf8(name + " on day " + day),
                        Set.of("day=%02d".formatted(day), "mention=" + (day % 2 == 1 ? "ann" : "bob"))));
        mutations.add(
                users.putting(
                        name + ".tweets", ByteString.copyFromUtf8(String.valueOf(day)), Set.of()));
        var _ = client.write(mutations);
    }
}
