package petrichor.entities.gql;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.Query;

/** A parsed GQL text: a query or an aggregation. */
public sealed interface GqlStatement {
    /** {@code SELECT * …}, a projection, or keys. */
    record Selection(Query query) implements GqlStatement {}

    /** {@code SELECT COUNT(*) …} or {@code AGGREGATE … OVER (SELECT …)}. */
    record Aggregation(AggregationQuery query) implements GqlStatement {}
}
