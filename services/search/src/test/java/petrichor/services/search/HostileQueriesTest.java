package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.search.Searches.document;
import static petrichor.services.search.Searches.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchRequest;

/** Queries of up to 2,000 characters that are meant to cost much. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class HostileQueriesTest {
    private final Searches searches = new Searches();

    @BeforeEach
    void putDocuments() {
        for (int d = 0; d < 20; d++) {
            SearchField[] fields =
                    IntStream.range(0, 60)
                            .mapToObj(i -> text("f" + i, "some words of a text " + i))
                            .toArray(SearchField[]::new);
            searches.put(document("d" + d, fields));
        }
        List<SearchField> prefixes = new ArrayList<>();
        for (int i = 0; i < 26; i++) {
            prefixes.add(
                    Searches.prefix(
                            "p",
                            SearchFieldType.TOKENIZED_PREFIX,
                            (char) ('a' + i) + "x".repeat(400)));
        }
        searches.put(document("p", prefixes.toArray(new SearchField[0])));
    }

    @AfterEach
    void close() {
        searches.close();
    }

    @Test
    void manyConditionsAreRefused() {
        assertThatThrownBy(() -> searches.ids("aa-bb-cc ".repeat(200).strip()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("conditions");
    }

    @Test
    void manyTermsOfOneWordAreAnswered() {
        assertThat(searches.ids("some OR x OR ".repeat(140) + "y")).hasSize(20);
        assertThat(searches.ids("~some OR ".repeat(200) + "y")).hasSize(20);
    }

    @Test
    void prefixStormsAreAnswered() {
        assertThat(searches.ids("p:a OR p:b OR p:c OR p:d ".repeat(70).strip()))
                .containsExactly("p");
        assertThat(searches.ids("p:z" + "x".repeat(350))).containsExactly("p");
    }

    @Test
    void randomTextIsAnsweredOrRefused() {
        Random random = new Random(5);
        String characters = "ab:=<>()\"~-+,\\! *?ANDORNOT.5\u00e9\ud83d\ude00";
        int refused = 0;
        for (int i = 0; i < 3_000; i++) {
            StringBuilder query = new StringBuilder();
            int length = random.nextInt(30);
            for (int c = 0; c < length; c++) {
                query.append(characters.charAt(random.nextInt(characters.length())));
            }
            try {
                searches.search(SearchRequest.of(query.toString()));
            } catch (PetrichorException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                refused++;
            }
        }
        assertThat(refused).isBetween(100, 2_900);
    }

    @Test
    void aPassedDeadlineStopsASearch() {
        assertThatThrownBy(
                        () ->
                                Cancellation.after(0)
                                        .call(() -> searches.ids("some OR words OR text")))
                .isInstanceOf(PetrichorException.class)
                .matches(
                        e ->
                                ((PetrichorException) e).code() == ErrorCode.DEADLINE_EXCEEDED
                                        || ((PetrichorException) e).code()
                                                == ErrorCode.UNAVAILABLE);
    }
}
