package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import petrichor.base.PetrichorException;

/**
 * A data-driven test: each line of a file is a question, {@code ->}, and the answer; lines that
 * start with {@code #} are comments. {@code -Drewrite=true} replaces the answers by the actual
 * ones.
 */
public final class CaseFile {
    private static final Path FILES = Path.of("src/test/resources/petrichor/services/search");
    private static final String ARROW = " -> ";

    private CaseFile() {}

    public static void check(String name, UnaryOperator<String> answers) throws IOException {
        Path file = FILES.resolve(name);
        String expected = Files.readString(file);
        StringBuilder actual = new StringBuilder();
        for (String line : expected.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                actual.append(line).append('\n');
                continue;
            }
            int arrow = line.lastIndexOf(ARROW);
            String question = arrow < 0 ? line : line.substring(0, arrow);
            actual.append(question).append(ARROW).append(answer(question, answers)).append('\n');
        }
        if (Boolean.getBoolean("rewrite")) {
            Files.writeString(file, actual);
        } else {
            assertThat(actual.toString()).isEqualTo(expected);
        }
    }

    private static String answer(String question, UnaryOperator<String> answers) {
        try {
            return answers.apply(question);
        } catch (PetrichorException refused) {
            return refused.code() + ": " + refused.getMessage();
        }
    }
}
