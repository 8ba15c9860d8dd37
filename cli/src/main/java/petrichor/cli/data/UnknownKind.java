package petrichor.cli.data;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Query;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import petrichor.base.NearestName;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;

/** Hint for a query without results whose kind has no entities. */
final class UnknownKind {
    private static final String KINDS = "SELECT __key__ FROM __kind__ LIMIT 1000";
    private static final int LISTED_MAX = 10;

    private UnknownKind() {}

    /** Empty if the query has no kind, or its kind has entities. */
    static Optional<String> hint(
            DatastoreClient client, DatabaseName database, String namespace, Query query) {
        if (query.getKindCount() == 0 || query.getKind(0).getName().startsWith("__")) {
            return Optional.empty();
        }
        Set<String> kinds = new TreeSet<>();
        GqlQuery all = GqlQuery.newBuilder().setQueryString(KINDS).setAllowLiterals(true).build();
        new GqlResults(client, database, namespace, all, Optional.empty())
                .next().stream().map(result -> kind(result.getEntity())).forEach(kinds::add);
        String name = query.getKind(0).getName();
        if (kinds.contains(name)) {
            return Optional.empty();
        }
        String where = database + (namespace.isEmpty() ? "" : ", namespace " + namespace);
        return Optional.of(
                "there is no entity of the kind "
                        + name
                        + " in "
                        + where
                        + "; "
                        + NearestName.closeTo(name, kinds)
                                .map(near -> "did you mean " + near + "?")
                                .orElse(listed(kinds)));
    }

    private static String listed(Set<String> kinds) {
        List<String> some = kinds.stream().limit(LISTED_MAX).toList();
        return kinds.isEmpty()
                ? "it is empty"
                : "its kinds are "
                        + String.join(", ", some)
                        + (kinds.size() > LISTED_MAX ? ", …" : "");
    }

    private static String kind(Entity kind) {
        return kind.getKey().getPath(kind.getKey().getPathCount() - 1).getName();
    }
}
