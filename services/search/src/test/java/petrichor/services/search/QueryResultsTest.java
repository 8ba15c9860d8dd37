package petrichor.services.search;

import static petrichor.services.search.Searches.atom;
import static petrichor.services.search.Searches.date;
import static petrichor.services.search.Searches.html;
import static petrichor.services.search.Searches.number;
import static petrichor.services.search.Searches.point;
import static petrichor.services.search.Searches.prefix;
import static petrichor.services.search.Searches.ranked;
import static petrichor.services.search.Searches.text;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;

/** The documents that queries find: see {@code query/results.txt}. */
final class QueryResultsTest {
    private static final long DAY = 86_400_000L;

    @Test
    void everyQueryOfTheFileFindsTheDocumentsThatTheFileSays() throws Exception {
        try (Searches searches = new Searches()) {
            searches.put(
                    ranked(
                            "rose",
                            9,
                            text("title", "Red Rose"),
                            atom("color", "dark red"),
                            number("price", 5),
                            date("planted", 15_525 * DAY + 3_600_000),
                            point("home", 52.5, 13.4)),
                    ranked(
                            "car",
                            8,
                            text("title", "A fast red car, with 5 doors"),
                            atom("color", "RED"),
                            number("price", 20_000.5),
                            point("home", 48.1, 11.6),
                            point("home", 40.7, -74.0)),
                    ranked(
                            "story",
                            7,
                            html("body", "it was a <strong>dark</strong> and stormy night"),
                            text("title", "A real-time system at night, in 2012-07-04 style"),
                            atom("code", "5"),
                            number("price", -1)),
                    ranked(
                            "dogs",
                            6,
                            text("title", "Two dogs were running"),
                            text("note", "the dog's café: C++ and AT&T, I.B.M. too"),
                            prefix("name", SearchFieldType.TOKENIZED_PREFIX, "Barack Obama Café"),
                            prefix("code", SearchFieldType.UNTOKENIZED_PREFIX, "ABC 123-x"),
                            date("planted", 0)),
                    new SearchDocument(
                            "haus",
                            "de",
                            5,
                            List.of(
                                    text("title", "Die Häuser in 東京都"),
                                    text("mixed", "7"),
                                    number("mixed", 7),
                                    atom("mixed", "seven")),
                            List.of()),
                    ranked("blank", 4, text("title", ""), new SearchField("v", vector())));
            CaseFile.check("query/results.txt", query -> String.join(" ", searches.ids(query)));
        }
    }

    private static FieldValue vector() {
        return new FieldValue.Vector(List.of(1.0, 2.0));
    }
}
