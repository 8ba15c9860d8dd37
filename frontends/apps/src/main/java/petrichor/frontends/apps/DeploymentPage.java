package petrichor.frontends.apps;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import petrichor.apps.hosting.DeployEvent;
import petrichor.apps.hosting.DeployRequest;
import petrichor.apps.hosting.DeployResult;
import petrichor.apps.hosting.Hosting;
import petrichor.base.FileProblem;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;

/**
 * {@code POST /petrichor/v1/deployments?project=&version=&promote=}: deploys the ZIP or tar.gz
 * archive in the body; with {@code only=files}, only its files such as {@code cron.yaml}. The
 * response is a JSON object per line: events, and at last the result. A client that disconnects
 * cancels the deployment. Thread-safe.
 */
public final class DeploymentPage {
    private final Deployments deployments;

    public DeploymentPage(Deployments deployments) {
        this.deployments = deployments;
    }

    public Page page() {
        return Page.streaming(
                "POST",
                PathTemplate.of("/petrichor/v1/deployments"),
                Page.Access.TOKEN,
                this::deploy);
    }

    private Page.Answer deploy(Page.Request request) {
        Optional<String> project = project(request);
        if (!deployments.permits().tryAcquire()) {
            return Page.Answer.text(429, "too many deployments run already; retry later\n");
        }
        Path archive = null;
        boolean started = false;
        try {
            archive = Deployments.received(request);
            Path received = archive;
            started = true;
            return DeploymentLines.start(
                    progress -> deploy(request, project, received, progress),
                    deployments::url,
                    () -> {
                        deployments.permits().release();
                        Deployments.delete(received);
                    });
        } catch (IOException e) {
            throw FileProblem.of("cannot store the archive", e);
        } finally {
            if (!started) {
                deployments.permits().release();
                Deployments.delete(archive);
            }
        }
    }

    /**
     * Checked before the archive is read. Empty if the app names its project itself, which only
     * tokens for all projects may; a token for one project deploys to that one.
     */
    private static Optional<String> project(Page.Request request) {
        Caller caller = request.attempt().caller();
        Optional<String> asked = text(request.parameters(), "project");
        if (asked.isEmpty()
                && caller.scope() instanceof Scope.Limited(Set<String> projects, Set<String> _)
                && projects.size() == 1) {
            asked = projects.stream().findFirst();
        }
        asked.ifPresentOrElse(
                one -> request.attempt().requireProject(Role.DEPLOY, one),
                () -> request.attempt().requireEverywhere(Role.DEPLOY));
        return asked;
    }

    private DeployResult deploy(
            Page.Request request,
            Optional<String> project,
            Path archive,
            Consumer<DeployEvent> progress) {
        Map<String, String> asked = request.parameters();
        DeployRequest deployment =
                new DeployRequest(
                        request.contentType().contains("zip")
                                ? new DeployRequest.Origin.Zip(archive)
                                : new DeployRequest.Origin.TarGz(archive),
                        project,
                        text(asked, "version"),
                        !"false".equals(asked.get("promote")),
                        text(asked, "by").orElse(""));
        Hosting host = deployments.hosting();
        return "files".equals(asked.get("only"))
                ? host.deployFiles(deployment, progress, request.cancellation())
                : host.deploy(deployment, progress, request.cancellation());
    }

    private static Optional<String> text(Map<String, String> parameters, String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
    }
}
