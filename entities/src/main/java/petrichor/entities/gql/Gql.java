package petrichor.entities.gql;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Query;
import petrichor.base.PetrichorException;

/**
 * Parses GQL as documented in the Datastore GQL reference. Failures are INVALID_ARGUMENT and name
 * the column and what was expected there. Thread-safe.
 */
public final class Gql {
    /** Longer texts are refused without parsing. */
    public static final int TEXT_CHARS_MAX = 100_000;

    private Gql() {}

    /**
     * @param partition default project and namespace of keys in the text
     */
    public static GqlStatement parse(GqlQuery gql, PartitionId partition) {
        String text = gql.getQueryString();
        if (text.length() > TEXT_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "the GQL text has {textCount} characters, more than the "
                            + TEXT_CHARS_MAX
                            + " allowed: bind long values instead of writing them out",
                    "textCount",
                    text.length());
        }
        Bindings bindings = Bindings.of(gql);
        GqlStatement statement =
                new Parser(Lexer.tokens(text), bindings, gql.getAllowLiterals(), partition)
                        .statement();
        bindings.requireAllPositionalUsed();
        return statement;
    }

    /** Parses a request for entities. */
    public static Query parseQuery(GqlQuery gql, PartitionId partition) {
        return switch (parse(gql, partition)) {
            case GqlStatement.Selection(Query query) -> query;
            case GqlStatement.Aggregation(_) ->
                    throw PetrichorException.invalid(
                            "this GQL text is an aggregation: send it as an aggregation query");
        };
    }

    /** Parses a request for aggregations. */
    public static AggregationQuery parseAggregation(GqlQuery gql, PartitionId partition) {
        return switch (parse(gql, partition)) {
            case GqlStatement.Aggregation(AggregationQuery query) -> query;
            case GqlStatement.Selection(_) ->
                    throw PetrichorException.invalid(
                            "this GQL text has no aggregation: it needs COUNT(*), COUNT_UP_TO, SUM"
                                    + " or AVG; otherwise send it as an ordinary query");
        };
    }
}
