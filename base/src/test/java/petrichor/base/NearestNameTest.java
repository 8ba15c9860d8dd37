package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NearestNameTest {
    private static final List<String> KEYWORDS = List.of("FROM", "WHERE", "AND", "OR", "LIMIT");

    @Test
    void theDistanceCountsChangedAddedMissingAndSwappedLetters() {
        assertThat(NearestName.distance("FROM", "FROM")).isZero();
        assertThat(NearestName.distance("FRM", "FROM")).isEqualTo(1);
        assertThat(NearestName.distance("FROOM", "FROM")).isEqualTo(1);
        assertThat(NearestName.distance("FRAM", "FROM")).isEqualTo(1);
        assertThat(NearestName.distance("FORM", "FROM")).isEqualTo(1);
        assertThat(NearestName.distance("", "FROM")).isEqualTo(4);
    }

    @Test
    void aCloseNameIsSuggestedAndADistantOneIsNot() {
        assertThat(NearestName.closeTo("FRM", KEYWORDS)).hasValue("FROM");
        assertThat(NearestName.closeTo("ADN", KEYWORDS)).hasValue("AND");
        assertThat(NearestName.closeTo("WHRERE", KEYWORDS)).hasValue("WHERE");
        assertThat(NearestName.closeTo("CITY", KEYWORDS)).isEmpty();
        assertThat(NearestName.closeTo("FRM", List.of())).isEmpty();
        assertThat(NearestName.of("CITY", List.of("zip"))).hasValue("zip");
    }
}
