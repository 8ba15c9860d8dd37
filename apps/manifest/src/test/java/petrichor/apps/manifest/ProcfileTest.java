package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcfileTest {
    @Test
    void readsCommands() {
        Procfile file =
                Procfile.parse(
                        "Procfile",
                        """
                        # processes

                        web: gunicorn -b :$PORT main:app
                        worker:python w.py
                        """
                                .replace("\n", "\r\n"));
        assertThat(file.web()).contains("gunicorn -b :$PORT main:app");
        assertThat(file.commands())
                .containsEntry("worker", "python w.py")
                .containsOnlyKeys("web", "worker");
        assertThat(Procfile.parse("Procfile", "worker: a").web()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "npm start | Procfile:1 is not valid: write NAME: COMMAND",
                "web:\\nx: y | Procfile:1 is not valid",
                "web: a\\nweb: b | Procfile:2 is not valid: a second command of web",
                "w e b: a | Procfile:1 is not valid",
            })
    void errorsNameTheLine(String text, String error) {
        assertThatThrownBy(() -> Procfile.parse("Procfile", text.replace("\\n", "\n")))
                .hasMessageContaining(error);
    }

    @Test
    void theSizeIsLimited() {
        String comment = "#".repeat(Procfile.TEXT_CHARACTERS_MAX);
        assertThat(Procfile.parse("Procfile", comment).commands()).isEmpty();
        assertThatThrownBy(() -> Procfile.parse("Procfile", comment + "#"))
                .hasMessageContaining("more than 65536 characters");
    }
}
