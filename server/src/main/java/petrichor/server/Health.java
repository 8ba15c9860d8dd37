package petrichor.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.frontends.http.Page;

/**
 * {@code /livez} and {@code /readyz} for Kubernetes: live while the process answers, ready while
 * every check passes. {@code ?verbose} lists all checks; failing checks are always listed.
 */
final class Health {
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    /**
     * @param problem empty while the check passes
     */
    record Check(String name, Supplier<Optional<String>> problem) {}

    private final List<Check> checks;

    Health(List<Check> checks) {
        this.checks = List.copyOf(checks);
    }

    List<Page> pages() {
        return List.of(
                new Page(
                        "GET",
                        "/livez",
                        Page.Access.OPEN,
                        Page.Lane.AT_ONCE,
                        _ -> Page.Answer.text(200, "ok\n")),
                new Page("GET", "/readyz", Page.Access.OPEN, Page.Lane.HEALTH, this::ready));
    }

    private Page.Answer ready(Page.Request request) {
        List<String> lines = new ArrayList<>();
        boolean ready = true;
        for (Check check : checks) {
            Optional<String> problem = problem(check);
            lines.add(
                    problem.map(text -> "[-]" + check.name() + " " + text)
                            .orElse("[+]" + check.name() + " ok"));
            ready &= problem.isEmpty();
        }
        String all = String.join("\n", lines) + "\n";
        if (!ready) {
            return Page.Answer.text(503, all + "not ready\n");
        }
        return Page.Answer.text(
                200, request.parameters().containsKey("verbose") ? all + "ok\n" : "ok\n");
    }

    private static Optional<String> problem(Check check) {
        try {
            return check.problem().get();
        } catch (RuntimeException failed) {
            LOG.warn("health check {} failed", check.name(), failed);
            return Optional.of("failed: " + failed.getMessage());
        }
    }
}
