package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The forms of rules are compared with Google's parser by {@link AppInfoVerdictsTest}. */
class DispatchYamlTest {
    private static DispatchYaml parse(String text) {
        return DispatchYaml.parse("dispatch.yaml", text);
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, /, exact",
        "EXAMPLE.com, /, exact",
        "example.com, /mobile/a, mobile",
        "example.com, /mobile/, mobile",
        "example.com, /mobile, ''",
        "a.example.org, /x, sub",
        "example.org, /x, ''",
        "other.net, /, ''",
    })
    void theFirstRuleThatMatchesDecides(String host, String path, String service) {
        DispatchYaml dispatch =
                parse(
                        """
                        dispatch:
                        - {url: example.com/, service: exact}
                        - {url: '*/mobile/*', service: mobile}
                        - {url: '*/mobile/a', service: never}
                        - {url: '*.example.org/*', service: sub}
                        """);
        assertThat(dispatch.service(host, path).orElse("")).isEqualTo(service);
    }

    @Test
    void noRulesMatchNothing() {
        assertThat(parse("")).isEqualTo(DispatchYaml.NONE);
        assertThat(DispatchYaml.NONE.service("a.b", "/")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dispatch:\\n- url: example.com\\n  service: a | dispatch.yaml:2 is not valid: url"
                        + " is \"example.com\"; it must be a host and a path",
                "dispatch:\\n- {ulr: '*/', service: a} | the nearest is \"url\"",
                "dispatch:\\n- {url: '*/', service: a_b} | lower-case letters",
                "dispatch:\\n- {url: '*/'} | service is missing",
                "dispatch:\\n- {service: a} | url is missing",
            })
    void errorsNameTheLine(String text, String error) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n"))).hasMessageContaining(error);
    }
}
