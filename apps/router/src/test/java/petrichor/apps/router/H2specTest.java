package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.testing.process.GoTool;
import petrichor.testing.process.RunningProcess;

/** The conformance tests of h2spec for HTTP/2 and HPACK. */
@Tag("slow")
final class H2specTest {
    private static final Pattern FAILED = Pattern.compile("\u00d7 (\\d+: .*)");
    private static final Pattern SUMMARY =
            Pattern.compile("(\\d+) tests, (\\d+) passed, 0 skipped, (\\d+) failed");

    /** What the router does otherwise, and why. */
    private static final Set<String> OTHERWISE =
            Set.of(
                    // A client without the preface speaks HTTP/1.1 here, and gets status 400.
                    "2: Sends invalid connection preface",
                    // Netty resets the stream, or ignores what belongs to a closed one.
                    "12: closed: Sends a HEADERS frame",
                    "2: Sends stream identifier that is numerically smaller than previous",
                    // Netty ends the connection with another code.
                    "2: Sends multiple WINDOW_UPDATE frames increasing the flow control window to"
                            + " above 2^31-1",
                    "3: Sends multiple WINDOW_UPDATE frames increasing the flow control window to"
                            + " above 2^31-1 on a stream");

    @Test
    @Timeout(300)
    void theRouterPassesButForKnownCases() throws Exception {
        String h2spec =
                GoTool.install("github.com/summerwind/h2spec/cmd/h2spec", "v2.2.1+incompatible")
                        .toString();
        try (TestRouter router = TestRouter.open()) {
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        var _ = request.body(in);
                        TestInstance.text(out, "hello");
                        return true;
                    });
            ProcessBuilder command =
                    new ProcessBuilder(
                                    h2spec,
                                    "-h",
                                    "127.0.0.1",
                                    "-p",
                                    Integer.toString(router.address().getPort()),
                                    "-o",
                                    "5")
                            .redirectErrorStream(true);
            String output;
            try (RunningProcess running = RunningProcess.start(command)) {
                output =
                        new String(
                                running.process().getInputStream().readAllBytes(),
                                StandardCharsets.UTF_8);
            }
            Matcher summary = SUMMARY.matcher(output);
            assertThat(summary.find()).as(output).isTrue();
            Set<String> failed = new TreeSet<>();
            Matcher found = FAILED.matcher(output);
            while (found.find()) {
                failed.add(found.group(1).strip());
            }
            assertThat(List.copyOf(failed)).as(output).isSubsetOf(OTHERWISE);
            assertThat(Integer.parseInt(summary.group(2))).isGreaterThanOrEqualTo(140);
        }
    }
}
