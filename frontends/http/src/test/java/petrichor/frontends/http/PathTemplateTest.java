package petrichor.frontends.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathTemplateTest {
    private static final PathTemplate CANCEL =
            PathTemplate.of("/v1/projects/{project}/operations/{id}:cancel");

    @Test
    void parametersAreTakenFromThePath() {
        assertThat(CANCEL.match("/v1/projects/p.q/operations/7 é:cancel"))
                .contains(Map.of("project", "p.q", "id", "7 é"));
        assertThat(PathTemplate.of("/livez").match("/livez")).contains(Map.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/projects/p/operations/7",
                "/v1/projects/p/operations/:cancel",
                "/v1/projects//operations/7:cancel",
                "/v1/projects/p/operations/7/8:cancel",
                "/v1/projects/p/operations/7:cancel:cancel",
                "/v1/projects/p/operations/7:cancel/",
                "/v1/projects/p/operations/7:cancel\n",
                "x/v1/projects/p/operations/7:cancel",
            })
    void anotherPathDoesNotFit(String path) {
        assertThat(CANCEL.match(path)).isEmpty();
    }

    @Test
    void theTextBetweenParametersIsLiteral() {
        assertThat(PathTemplate.of("/a.c/{id}").match("/abc/1")).isEmpty();
        assertThat(PathTemplate.of("/a.c").match("/abc")).isEmpty();
    }

    @Test
    void aStarMatchesEverythingBelow() {
        PathTemplate below = PathTemplate.of("/v1/projects/*");
        assertThat(below.match("/v1/projects/")).isPresent();
        assertThat(below.match("/v1/projects/p/what:ever\n")).isPresent();
        assertThat(below.match("/v1/projects")).isEmpty();
    }
}
