package petrichor.services.search.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.services.search.CaseFile;

final class WordsTest {
    @Test
    void everyTextOfTheFileHasTheWordsThatTheFileSays() throws Exception {
        CaseFile.check(
                "text/words.txt",
                text ->
                        Words.of(text).stream()
                                .map(word -> (word.joined() ? "+" : "") + word.term())
                                .collect(Collectors.joining(" | ")));
    }

    @Test
    void longWordsAreCut() {
        assertThat(Words.of("x".repeat(1_000)))
                .extracting(Words.Word::term)
                .containsExactly("x".repeat(Words.WORD_CHARS_MAX));
    }

    @Test
    void htmlLosesItsMarkup() {
        assertThat(HtmlText.of("a <b class='x'>dark</b>&nbsp;night &amp; &#65;&#x42; &unknown; <"))
                .isEqualTo("a  dark  night & AB &unknown; <");
        assertThat(HtmlText.of("<script>var hidden;</script>shown<!-- no --><style>p{}</style>"))
                .isEqualTo("  shown   ");
        assertThat(HtmlText.of("1 < 2")).isEqualTo("1 < 2");
        assertThat(HtmlText.of("<script>never closed")).isEqualTo(" ");
    }

    @Test
    @Timeout(10)
    void hostileHtmlTakesLinearTime() {
        assertThat(HtmlText.of("<".repeat(1 << 20))).hasSize(1 << 20);
        assertThat(HtmlText.of("&".repeat(1 << 20))).hasSize(1 << 20);
        assertThat(HtmlText.of("<script>".repeat(1 << 17))).isNotNull();
    }

    @Test
    void stemsDependOnTheLanguage() {
        Stemmers stemmers = new Stemmers();
        assertThat(stemmers.stem("en", "dogs")).isEqualTo("dog");
        assertThat(stemmers.stem("en_US", "running")).isEqualTo("run");
        assertThat(stemmers.stem("de", "häuser")).isEqualTo(stemmers.stem("de", "häusern"));
        assertThat(stemmers.stem("xx", "dogs")).isEqualTo("dogs");
    }
}
