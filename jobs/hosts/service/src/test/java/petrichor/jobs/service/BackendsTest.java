package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

final class BackendsTest {
    @Test
    void aMissingBackendIsReportedWithItsFolder() {
        for (String backend : List.of("hadoop", "hadoop://127.0.0.1:9", "../stores")) {
            assertThatThrownBy(() -> Backends.open(backend, List.of()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                    .hasMessageContaining("there is no backend")
                    .hasMessageContaining("petrichor build");
        }
    }
}
