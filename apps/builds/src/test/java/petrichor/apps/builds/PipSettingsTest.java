package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How pip's configuration is passed to uv. */
class PipSettingsTest {
    @Test
    void indexesAreVariablesOfUv() {
        assertThat(
                        new PipSettings(
                                        List.of(
                                                """
                                                [global]
                                                ; a comment
                                                index-url = https://one.example/simple
                                                extra_index_url =
                                                    https://two.example/simple
                                                    https://three.example/simple
                                                trusted-host: one.example
                                                [install]
                                                index-url = https://four.example/simple
                                                [list]
                                                format = json
                                                """),
                                        Map.of())
                                .asVariablesOfUv())
                .hasValue(
                        Map.of(
                                "UV_DEFAULT_INDEX",
                                "https://four.example/simple",
                                "UV_INDEX",
                                "https://two.example/simple https://three.example/simple",
                                "UV_INDEX_STRATEGY",
                                "unsafe-best-match",
                                "UV_INSECURE_HOST",
                                "one.example"));
    }

    @Test
    void variablesReplaceLaterFilesReplaceFormerFiles() {
        assertThat(
                        new PipSettings(
                                        List.of(
                                                "[global]\ncert = /a\ntimeout = 5\n",
                                                "[global]\ncert = /b\ntimeout = 6\n"),
                                        Map.of("PIP_DEFAULT_TIMEOUT", "7", "UNRELATED", "8"))
                                .asVariablesOfUv())
                .hasValue(Map.of("SSL_CERT_FILE", "/b", "UV_HTTP_TIMEOUT", "7"));
    }

    @Test
    void aFolderThatDoesNotExistIsLeftOut() {
        assertThat(
                        new PipSettings(List.of(), Map.of("PIP_FIND_LINKS", "/nonexistent /usr"))
                                .asVariablesOfUv())
                .hasValue(Map.of("UV_FIND_LINKS", "/usr"));
    }

    @Test
    void aSettingWithoutCounterpartMakesUvUnsuitable() {
        assertThat(
                        new PipSettings(List.of("[install]\nno-binary = :all:\n"), Map.of())
                                .asVariablesOfUv())
                .isEmpty();
    }
}
