package petrichor.services.search.expression;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.services.search.CaseFile;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;

final class ExpressionParserTest {
    private static final SearchDocument PIANO =
            new SearchDocument(
                    "piano",
                    "en",
                    7,
                    List.of(
                            new SearchField("price", new FieldValue.Numeric(880)),
                            new SearchField("weight", new FieldValue.Numeric(-2.5)),
                            text("tag", SearchFieldType.ATOM, "black"),
                            text("tag", SearchFieldType.ATOM, "white"),
                            text(
                                    "summary",
                                    SearchFieldType.TEXT,
                                    "A fine upright piano with ivory keys, built by hand in 1911 &"
                                            + " restored; the keys are ivory."),
                            text(
                                    "page",
                                    SearchFieldType.HTML,
                                    "<p>Keys of <i>ivory</i> &amp; ebony</p>"),
                            new SearchField("home", new FieldValue.GeoPoint(52.5, 13.4)),
                            new SearchField("built", new FieldValue.Date(-1_861_920_000_000L))),
                    List.of());

    private static SearchField text(String name, SearchFieldType type, String text) {
        return new SearchField(name, new FieldValue.Text(type, text));
    }

    @Test
    void everyExpressionOfTheFileHasTheValueThatTheFileSays() throws Exception {
        CaseFile.check(
                "expression/expressions.txt",
                expression ->
                        print(
                                new DocumentExpression(PIANO, 1.5)
                                        .valueOf(ExpressionParser.parse(expression))));
    }

    private static String print(@Nullable FieldValue value) {
        return switch (value) {
            case null -> "none";
            case FieldValue.Numeric(double number) -> Double.toString(number);
            case FieldValue.Text text -> text.type() + " " + text.text();
            case FieldValue.Date date -> date.toString();
            case FieldValue.GeoPoint point -> point.toString();
            case FieldValue.Vector vector -> vector.toString();
        };
    }

    @Test
    void deepNestingIsRefused() {
        String deep = "(".repeat(1_000) + "1" + ")".repeat(1_000);
        assertThatThrownBy(() -> ExpressionParser.parse(deep))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("nested too deeply");
        String calls = "abs(".repeat(900) + "1" + ")".repeat(900);
        assertThatThrownBy(() -> ExpressionParser.parse(calls))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("nested too deeply");
    }

    @Test
    void longExpressionsAreRefused() {
        assertThatThrownBy(() -> ExpressionParser.parse("1+".repeat(3_000) + "1"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("6001 characters");
    }
}
