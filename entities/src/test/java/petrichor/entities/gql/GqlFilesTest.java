package petrichor.entities.gql;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.PartitionId;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;

/**
 * Data-driven tests. Each file contains cases: query text, {@code @name: parameter} or {@code @1:
 * parameter} lines, {@code ----}, and the expected output, terminated by an empty line. A case that
 * starts with {@code no-literals} forbids them. {@code -Drewrite=true} replaces the expectations by
 * the actual output.
 */
class GqlFilesTest {
    private static final Pattern BETWEEN_CASES = Pattern.compile("\n\n+");
    private static final Path FILES = Path.of("src/test/resources/petrichor/entities/gql");

    @ParameterizedTest
    @ValueSource(strings = {"selections", "conditions", "values", "bindings", "errors"})
    void everyCaseOfTheFileHasItsExpectedResult(String name) throws Exception {
        Path file = FILES.resolve(name + ".gql");
        String expected = Files.readString(file);
        String actual = rewritten(expected);
        if (Boolean.getBoolean("rewrite")) {
            Files.writeString(file, actual);
        } else {
            assertThat(actual).isEqualTo(expected);
        }
    }

    private static String rewritten(String file) throws IOException {
        StringBuilder out = new StringBuilder();
        for (String block : BETWEEN_CASES.splitAsStream(file.strip()).toList()) {
            if (!out.isEmpty()) {
                out.append('\n');
            }
            if (block.startsWith("#") && !block.contains("\n----")) {
                out.append(block).append('\n');
                continue;
            }
            int end = block.indexOf("\n----");
            String question = end < 0 ? block : block.substring(0, end);
            out.append(question).append("\n----\n").append(answer(question)).append('\n');
        }
        return out.toString();
    }

    private static String answer(String question) throws IOException {
        GqlQuery.Builder gql = GqlQuery.newBuilder().setAllowLiterals(true);
        List<String> text = new ArrayList<>();
        for (String line : question.lines().toList()) {
            if (line.startsWith("#")) {
                continue;
            }
            if (line.equals("no-literals")) {
                gql.setAllowLiterals(false);
            } else if (line.startsWith("@")) {
                String site = line.substring(1, line.indexOf(':'));
                GqlQueryParameter parameter =
                        TextFormat.parse(
                                line.substring(line.indexOf(':') + 1), GqlQueryParameter.class);
                if (Character.isDigit(site.charAt(0))) {
                    gql.addPositionalBindings(parameter);
                } else {
                    gql.putNamedBindings(site, parameter);
                }
            } else {
                text.add(line);
            }
        }
        gql.setQueryString(String.join("\n", text));
        PartitionId partition = PartitionId.newBuilder().setProjectId("demo").build();
        try {
            return switch (Gql.parse(gql.build(), partition)) {
                case GqlStatement.Selection(var query) -> print(query);
                case GqlStatement.Aggregation(var query) -> "aggregation " + print(query);
            };
        } catch (PetrichorException refused) {
            return refused.code() + ": " + refused.getMessage();
        }
    }

    private static String print(com.google.protobuf.Message message) {
        return TextFormat.printer().emittingSingleLine(true).printToString(message).strip();
    }
}
