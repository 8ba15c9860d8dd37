package petrichor.services.search.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.services.search.CaseFile;

final class QueryParserTest {
    @Test
    void everyQueryOfTheFileHasTheMeaningThatTheFileSays() throws Exception {
        CaseFile.check("query/queries.txt", query -> print(QueryParser.parse(query)));
    }

    @Test
    void deepNestingIsRefused() {
        String query = "(".repeat(900) + "a" + ")".repeat(900);
        assertThatThrownBy(() -> QueryParser.parse(query))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("nested too deeply");
    }

    @Test
    void theNumberOfParenthesesSideBySideIsNotLimited() {
        assertThat(QueryParser.parse("(a) ".repeat(400).strip())).isInstanceOf(Condition.And.class);
    }

    private static String print(Condition condition) {
        return switch (condition) {
            case Condition.Everything _ -> "everything";
            case Condition.And and ->
                    (and.sequence() ? "sequence(" : "and(")
                            + and.conditions().stream()
                                    .map(QueryParserTest::print)
                                    .collect(Collectors.joining(", "))
                            + ")";
            case Condition.Or or ->
                    "or("
                            + or.conditions().stream()
                                    .map(QueryParserTest::print)
                                    .collect(Collectors.joining(", "))
                            + ")";
            case Condition.Not(Condition excluded) -> "not(" + print(excluded) + ")";
            case Condition.Has has ->
                    (has.field() == null ? "" : has.field() + "=")
                            + switch (has.value()) {
                                case Condition.Term(String text) -> "'" + text + "'";
                                case Condition.Stem(String text) -> "~'" + text + "'";
                                case Condition.Phrase(String text) -> "\"" + text + "\"";
                            };
            case Condition.Compare compare ->
                    compare.field() + " " + compare.comparison() + " " + compare.value();
            case Condition.Distance distance ->
                    "distance("
                            + distance.field()
                            + ", "
                            + distance.from().latitude()
                            + "/"
                            + distance.from().longitude()
                            + ")"
                            + (distance.nearer() ? "<" : ">")
                            + distance.meters();
        };
    }
}
