package petrichor.jobs.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.testkit.PlanCatalog;

/**
 * Compares Petrichor's choices with Flink's for every plan that both can express. Where they
 * differ, {@code disagreements.txt} has both and a line that starts with "because"; a new
 * difference, or one that no longer exists, fails. {@code -Drewrite=true} rewrites the choices and
 * keeps the reasons.
 */
final class OracleTest {
    private static final Path FILE =
            Path.of("src/test/resources/petrichor/jobs/oracle/disagreements.txt");

    @TestFactory
    Stream<DynamicTest> bothChooseTheSameOrItIsSaidWhyNot() throws Exception {
        var reasons = reasons();
        Map<String, String> differences = new LinkedHashMap<>();
        var flink = new FlinkCatalogue();
        for (var name : flink.names()) {
            var ours =
                    Choice.ofOurs(
                            Compiler.standard()
                                    .compile(new PlanCatalog().plan(name))
                                    .parts()
                                    .getFirst()
                                    .explanation());
            var theirs = Choice.ofFlink(flink.planJson(name));
            differences.put(
                    name, ours.equals(theirs) ? "" : "ours:  " + ours + "\nflink: " + theirs);
        }
        if (Boolean.getBoolean("rewrite")) {
            rewrite(differences, reasons);
            reasons = reasons();
        }
        var known = reasons;
        return differences.entrySet().stream()
                .map(
                        entry ->
                                DynamicTest.dynamicTest(
                                        entry.getKey(),
                                        () -> check(entry.getKey(), entry.getValue(), known)));
    }

    private static void check(String name, String difference, Map<String, String> reasons) {
        if (difference.isEmpty()) {
            assertThat(reasons).doesNotContainKey(name);
            return;
        }
        assertThat(reasons.getOrDefault(name, ""))
                .startsWith(difference)
                .contains("\nbecause ")
                .doesNotContain("because ?");
    }

    private static Map<String, String> reasons() throws IOException {
        var reasons = new LinkedHashMap<String, String>();
        if (!Files.exists(FILE)) {
            return reasons;
        }
        for (var section : Files.readString(FILE).split("==== ", -1)) {
            int end = section.indexOf('\n');
            if (end > 0) {
                reasons.put(section.substring(0, end), section.substring(end + 1).strip());
            }
        }
        return reasons;
    }

    private static void rewrite(Map<String, String> differences, Map<String, String> reasons)
            throws IOException {
        Files.createDirectories(FILE.getParent());
        Files.writeString(
                FILE,
                differences.entrySet().stream()
                        .filter(entry -> !entry.getValue().isEmpty())
                        .map(
                                entry -> {
                                    var old = reasons.getOrDefault(entry.getKey(), "");
                                    int because = old.indexOf("because ");
                                    var reason = because < 0 ? "because ?" : old.substring(because);
                                    return "==== "
                                            + entry.getKey()
                                            + "\n"
                                            + entry.getValue()
                                            + "\n"
                                            + reason
                                            + "\n";
                                })
                        .collect(Collectors.joining("\n")));
    }
}
