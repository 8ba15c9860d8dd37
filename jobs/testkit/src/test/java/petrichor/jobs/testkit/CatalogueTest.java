package petrichor.jobs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;

/**
 * The compiled plans of the catalogue, compared with {@code catalogue.txt}. {@code -Drewrite=true}
 * rewrites the file: review the difference before committing it.
 */
final class CatalogueTest {
    private static final Path FILE =
            Path.of("src/test/resources/petrichor/jobs/testkit/catalogue.txt");

    private final PlanCatalog catalogue = new PlanCatalog();

    @TestFactory
    Stream<DynamicTest> thePlanIsExecutedAsExpected() throws IOException {
        var actual = new LinkedHashMap<String, String>();
        for (var name : catalogue.names()) {
            actual.put(name, outcome(catalogue.plan(name)));
        }
        if (Boolean.getBoolean("rewrite")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(
                    FILE,
                    actual.entrySet().stream()
                            .map(entry -> "==== " + entry.getKey() + "\n" + entry.getValue() + "\n")
                            .collect(Collectors.joining("\n")));
        }
        var expected = expectations();
        assertThat(expected.keySet()).containsExactlyElementsOf(actual.keySet());
        return actual.keySet().stream()
                .map(
                        name ->
                                DynamicTest.dynamicTest(
                                        name,
                                        () ->
                                                assertThat(actual.get(name))
                                                        .isEqualTo(expected.get(name))));
    }

    @TestFactory
    Stream<DynamicTest> theGraphGivesWhatThePlanMeans() {
        return catalogue.names().stream()
                .map(
                        name ->
                                DynamicTest.dynamicTest(
                                        name, () -> assertSameResult(catalogue.plan(name))));
    }

    @Test
    void explanationsAreGivenAsTextJsonAndDrawing() {
        var plan = catalogue.plan("small joins big: broadcast");
        var explanation = Compiler.standard().compile(plan).parts().getFirst().explanation();
        assertThat(explanation.text())
                .contains(
                        "Match \"join\": hash join, build first, 4 subtasks",
                        "from 0 by broadcast");
        assertThat(explanation.json())
                .startsWith("{\"plan\":\"small joins big: broadcast\"")
                .contains("\"shipping\":\"broadcast\"");
        assertThat(explanation.drawing())
                .startsWith("<svg")
                .contains("broadcast")
                .endsWith("</svg>\n");
    }

    static void assertSameResult(Plan plan) throws Exception {
        var expected = PlanInterpreter.run(plan);
        for (var part : Compiler.standard().compile(plan).parts()) {
            GraphInterpreter.run(part.graph());
        }
        for (var sink : plan.sinks()) {
            var rows = Rows.written(plan, sink.name());
            assertThat(rows)
                    .isEqualTo(
                            expected.getOrDefault(sink.name(), List.of()).stream()
                                    .sorted()
                                    .toList());
        }
    }

    private static String outcome(Plan plan) {
        var part = Compiler.standard().compile(plan).parts().getFirst();
        return part.explanation().text() + GraphText.of(part.graph());
    }

    private static Map<String, String> expectations() throws IOException {
        var expectations = new LinkedHashMap<String, String>();
        for (var section : Files.readString(FILE).split("==== ", -1)) {
            int end = section.indexOf('\n');
            if (end > 0) {
                expectations.put(section.substring(0, end), section.substring(end + 1).strip());
            }
        }
        return expectations;
    }
}
