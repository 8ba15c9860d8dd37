package petrichor.entities.gql;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.AggregationQuery.Aggregation;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Int64Value;
import java.util.ArrayList;
import java.util.List;
import petrichor.entities.gql.Token.Kind;

/**
 * Recursive-descent parser for the clauses of GQL; {@link ConditionParser} parses conditions,
 * {@link ValueParser} values. Confined to one thread, parses one text.
 */
final class Parser {
    private final TokenStream tokens;
    private final Bindings bindings;
    private final boolean literalsAllowed;
    private final ConditionParser conditions;

    Parser(List<Token> tokens, Bindings bindings, boolean literalsAllowed, PartitionId partition) {
        this.tokens = new TokenStream(tokens);
        this.bindings = bindings;
        this.literalsAllowed = literalsAllowed;
        this.conditions =
                new ConditionParser(
                        this.tokens,
                        new ValueParser(this.tokens, bindings, literalsAllowed, partition));
    }

    GqlStatement statement() {
        GqlStatement statement =
                tokens.takeWord("AGGREGATE")
                        ? new GqlStatement.Aggregation(aggregateOver())
                        : select();
        tokens.requireEnd();
        return statement;
    }

    private AggregationQuery aggregateOver() {
        AggregationQuery.Builder query = AggregationQuery.newBuilder();
        query.addAllAggregations(aggregations());
        tokens.requireWord("OVER");
        tokens.requireSymbol("(");
        Token inner = tokens.peek();
        switch (select()) {
            case GqlStatement.Selection(Query nested) -> query.setNestedQuery(nested);
            case GqlStatement.Aggregation(_) ->
                    throw inner.failure("an aggregation cannot be nested in another one");
        }
        tokens.requireSymbol(")");
        return query.build();
    }

    private GqlStatement select() {
        tokens.requireWord("SELECT");
        if (startsAggregation()) {
            List<Aggregation> aggregations = aggregations();
            return new GqlStatement.Aggregation(
                    AggregationQuery.newBuilder()
                            .addAllAggregations(aggregations)
                            .setNestedQuery(clauses(Query.newBuilder()))
                            .build());
        }
        Query.Builder query = Query.newBuilder();
        selected(query);
        return new GqlStatement.Selection(clauses(query));
    }

    private boolean startsAggregation() {
        return tokens.peekAhead(1).isSymbol("(") && AggregationName.of(tokens.peek()) != null;
    }

    private enum AggregationName {
        COUNT,
        COUNT_UP_TO,
        SUM,
        AVG;

        static @org.jspecify.annotations.Nullable AggregationName of(Token token) {
            for (AggregationName name : values()) {
                if (token.isWord(name.name())) {
                    return name;
                }
            }
            return null;
        }
    }

    private List<Aggregation> aggregations() {
        List<Aggregation> all = new ArrayList<>();
        do {
            all.add(aggregation());
        } while (tokens.takeSymbol(","));
        return all;
    }

    private Aggregation aggregation() {
        Token token = tokens.take();
        AggregationName name = AggregationName.of(token);
        if (name == null) {
            throw token.expected("COUNT, COUNT_UP_TO, SUM or AVG");
        }
        tokens.requireSymbol("(");
        Aggregation.Builder aggregation = Aggregation.newBuilder();
        switch (name) {
            case COUNT -> {
                tokens.requireSymbol("*");
                aggregation.setCount(Aggregation.Count.getDefaultInstance());
            }
            case COUNT_UP_TO ->
                    aggregation.setCount(
                            Aggregation.Count.newBuilder().setUpTo(Int64Value.of(number())));
            case SUM -> aggregation.setSum(Aggregation.Sum.newBuilder().setProperty(property()));
            case AVG -> aggregation.setAvg(Aggregation.Avg.newBuilder().setProperty(property()));
        }
        tokens.requireSymbol(")");
        if (tokens.takeWord("AS")) {
            aggregation.setAlias(tokens.name("an alias"));
        }
        return aggregation.build();
    }

    private void selected(Query.Builder query) {
        boolean allDistinct = false;
        if (tokens.takeWord("DISTINCT")) {
            if (tokens.peek().isWord("ON") && tokens.peekAhead(1).isSymbol("(")) {
                tokens.take();
                tokens.requireSymbol("(");
                do {
                    query.addDistinctOn(property());
                } while (tokens.takeSymbol(","));
                tokens.requireSymbol(")");
                tokens.takeSymbol(",");
            } else {
                allDistinct = true;
            }
        }
        Token first = tokens.peek();
        if (tokens.takeSymbol("*")) {
            if (allDistinct) {
                throw first.expected("the distinct properties");
            }
            return;
        }
        do {
            PropertyReference property = property();
            query.addProjection(Projection.newBuilder().setProperty(property));
            if (allDistinct) {
                query.addDistinctOn(property);
            }
        } while (tokens.takeSymbol(","));
    }

    private Query clauses(Query.Builder query) {
        if (tokens.takeWord("FROM")) {
            query.addKind(KindExpression.newBuilder().setName(tokens.name("a kind")));
        }
        if (tokens.takeWord("WHERE")) {
            query.setFilter(conditions.condition());
        }
        if (tokens.takeWord("ORDER")) {
            tokens.requireWord("BY");
            do {
                query.addOrder(order());
            } while (tokens.takeSymbol(","));
        }
        if (tokens.takeWord("LIMIT")) {
            limit(query);
        }
        if (tokens.takeWord("OFFSET")) {
            offset(query);
        }
        return query.build();
    }

    private PropertyOrder order() {
        PropertyOrder.Builder order = PropertyOrder.newBuilder().setProperty(property());
        if (tokens.takeWord("DESC")) {
            return order.setDirection(PropertyOrder.Direction.DESCENDING).build();
        }
        tokens.takeWord("ASC");
        return order.setDirection(PropertyOrder.Direction.ASCENDING).build();
    }

    private void limit(Query.Builder query) {
        if (tokens.takeWord("FIRST")) {
            tokens.requireSymbol("(");
            limitPosition(query);
            tokens.requireSymbol(",");
            limitPosition(query);
            tokens.requireSymbol(")");
        } else {
            limitPosition(query);
        }
    }

    /** A number limits the results; a cursor is the position of their end. */
    private void limitPosition(Query.Builder query) {
        Token token = tokens.peek();
        switch (position()) {
            case Position.Count(int count) -> {
                if (query.hasLimit()) {
                    throw token.expected("a cursor, since a number was given before");
                }
                query.setLimit(Int32Value.of(count));
            }
            case Position.Cursor(ByteString cursor) -> {
                if (!query.getEndCursor().isEmpty()) {
                    throw token.expected("a number, since a cursor was given before");
                }
                query.setEndCursor(cursor);
            }
        }
    }

    private void offset(Query.Builder query) {
        boolean counted = false;
        do {
            Token token = tokens.peek();
            switch (position()) {
                case Position.Count(int count) -> {
                    if (counted) {
                        throw token.expected("a cursor, since a number was given before");
                    }
                    counted = true;
                    query.setOffset(count);
                }
                case Position.Cursor(ByteString cursor) -> {
                    if (!query.getStartCursor().isEmpty()) {
                        throw token.expected("a number, since a cursor was given before");
                    }
                    query.setStartCursor(cursor);
                }
            }
        } while (tokens.takeSymbol("+"));
    }

    private sealed interface Position {
        record Count(int count) implements Position {}

        record Cursor(ByteString cursor) implements Position {}
    }

    private Position position() {
        Token token = tokens.peek();
        if (token.kind() == Kind.BINDING && bindings.find(token).hasCursor()) {
            tokens.take();
            return new Position.Cursor(bindings.find(token).getCursor());
        }
        long count = number();
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw token.expected("a number from 0 to " + Integer.MAX_VALUE);
        }
        return new Position.Count((int) count);
    }

    private long number() {
        Token token = tokens.take();
        return switch (token.kind()) {
            case INTEGER -> {
                if (!literalsAllowed) {
                    throw ValueParser.literalsForbidden(token);
                }
                try {
                    yield Long.parseLong(token.text());
                } catch (NumberFormatException _) {
                    throw token.expected("a number of at most 64 bits");
                }
            }
            case BINDING -> {
                GqlQueryParameter parameter = bindings.find(token);
                if (!parameter.getValue().hasIntegerValue()) {
                    throw token.expected("a binding with a whole number");
                }
                yield parameter.getValue().getIntegerValue();
            }
            case WORD, QUOTED_NAME, STRING, DOUBLE, SYMBOL, END ->
                    throw token.expected("a number or a binding");
        };
    }

    private PropertyReference property() {
        return PropertyReference.newBuilder().setName(tokens.propertyName()).build();
    }
}
