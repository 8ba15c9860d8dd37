package petrichor.frontends.apps;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.DeployRequest;
import petrichor.apps.hosting.DeployResult;
import petrichor.base.Cancellation;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * One push to an app's remote: deploys the commit of the branch before the branch moves, so that a
 * failed deployment can be pushed again. Confined to the thread of {@link #receive}.
 */
final class GitPush {
    private static final Logger LOG = LoggerFactory.getLogger(GitPush.class);
    private static final Set<String> DEPLOYED = Set.of("refs/heads/main", "refs/heads/master");
    private static final long COMMAND_BYTES_MAX = 1 << 20;
    private static final String VERSION = "version=";
    private static final String NO_PROMOTE = "no-promote";

    private final String project;
    private final Deployments deployments;
    private final Repository repository;
    private final Cancellation cancellation;

    GitPush(
            String project,
            Deployments deployments,
            Repository repository,
            Cancellation cancellation) {
        this.project = project;
        this.deployments = deployments;
        this.repository = repository;
        this.cancellation = cancellation;
    }

    /** A receiver of pushes over HTTP. */
    static ReceivePack pack(Repository repository) {
        ReceivePack pack = new ReceivePack(repository);
        pack.setBiDirectionalPipe(false);
        pack.setAllowDeletes(false);
        pack.setAllowPushOptions(true);
        pack.setCheckReceivedObjects(true);
        pack.setMaxCommandBytes(COMMAND_BYTES_MAX);
        pack.setMaxPackSizeLimit(Deployments.ARCHIVE_BYTES_MAX);
        pack.setMaxObjectSizeLimit(Deployments.ARCHIVE_BYTES_MAX);
        return pack;
    }

    void receive(InputStream in, PushOutput out) throws IOException {
        ReceivePack pack = pack(repository);
        pack.setPreReceiveHook(this::decide);
        pack.receive(in, out, null);
        if (pack.hasReceivedPack()) {
            removeGarbage();
        }
    }

    /** Refused pushes leave objects. */
    private void removeGarbage() {
        try (Git git = new Git(repository)) {
            var _ = git.gc().call();
        } catch (GitAPIException e) {
            LOG.warn("could not clean the Git repository of {}", project, e);
        }
    }

    private void decide(ReceivePack pack, Collection<ReceiveCommand> commands) {
        for (ReceiveCommand command : commands) {
            if (!DEPLOYED.contains(command.getRefName())) {
                command.setResult(
                        ReceiveCommand.Result.REJECTED_OTHER_REASON,
                        "only main and master are deployed; push HEAD:main");
            } else if (commands.size() > 1) {
                command.setResult(
                        ReceiveCommand.Result.REJECTED_OTHER_REASON, "push one branch at a time");
            } else {
                deploy(pack, command);
            }
        }
    }

    private void deploy(ReceivePack pack, ReceiveCommand command) {
        Path files = null;
        try (PushProgress progress = new PushProgress(pack)) {
            files = Files.createTempDirectory("petrichor-push");
            int submodules = CommitFiles.write(repository, command.getNewId(), files);
            if (submodules > 0) {
                progress.line(submodules + " submodules are left out");
            }
            switch (deployments
                    .hosting()
                    .deploy(request(files, options(pack)), progress::event, cancellation)) {
                case DeployResult.Deployed(var version, _, _, var duration) -> {
                    progress.line(
                            "deployed " + version + " in " + PushProgress.seconds(duration) + " s");
                    progress.line(deployments.url(version));
                }
                case DeployResult.Configured(String app, _) -> progress.line("configured " + app);
                case DeployResult.Failed(String step, String reason, Optional<String> details) -> {
                    // The output of a failed build has been shown already.
                    details.filter(_ -> !step.startsWith("build")).ifPresent(progress::text);
                    progress.line("not deployed; " + step + ": " + reason);
                    reject(command, "not deployed; " + step);
                }
            }
        } catch (PetrichorException refused) {
            reject(command, String.valueOf(refused.getMessage()));
        } catch (IOException e) {
            LOG.warn("could not read a push to {}", project, e);
            reject(command, "the server could not read the commit: " + FileProblem.reason(e));
        } finally {
            GitPages.delete(files);
        }
    }

    private static void reject(ReceiveCommand command, String reason) {
        command.setResult(
                ReceiveCommand.Result.REJECTED_OTHER_REASON,
                reason.lines().findFirst().orElse("not deployed"));
    }

    private static List<String> options(ReceivePack pack) {
        List<String> options = pack.getPushOptions();
        return options == null ? List.of() : options;
    }

    private DeployRequest request(Path files, List<String> options) {
        Optional<String> version = Optional.empty();
        boolean promote = true;
        for (String option : options) {
            if (option.startsWith(VERSION)) {
                version = Optional.of(option.substring(VERSION.length()));
            } else if (option.equals(NO_PROMOTE)) {
                promote = false;
            } else {
                throw PetrichorException.invalid(
                        "there is no push option {option}; there are version=NAME and no-promote",
                        "option",
                        option);
            }
        }
        return new DeployRequest(
                new DeployRequest.Origin.Folder(files),
                Optional.of(project),
                version,
                promote,
                "git push");
    }
}
