package petrichor.apps.instances;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import petrichor.apps.instances.network.NetworkGuard;
import petrichor.base.FileProblem;

/** Tries out on this machine what {@link Isolation} describes. Used once. */
final class IsolationProbe {
    private static final int ROOT = 0;
    private static final int TRIAL_SECONDS_MAX = 10;
    private static final int REASON_CHARS_MAX = 200;
    private static final int NOT_FOUND = 127;

    private final Path folder;
    private final int user;
    private final Map<IsolationFeature, String> missing = new EnumMap<>(IsolationFeature.class);

    IsolationProbe(Path folder, int user) {
        this.folder = folder;
        this.user = user;
    }

    Isolation run() {
        boolean root = isRoot();
        trial(List.of("setpriv", "--pdeathsig", "KILL", "true"), Map.of())
                .ifPresent(
                        reason ->
                                missing.put(
                                        IsolationFeature.ENDS_WITH_PLATFORM,
                                        "If the platform's process is killed, instances run until"
                                                + " its next start, because setpriv of util-linux"
                                                + " is not available: "
                                                + reason));
        probeUser(root);
        Isolation.Namespaces namespaces = probeNamespaces(root);
        ControlGroups groups = probeGroups();
        Optional<NetworkGuard> network = probeNetwork(groups);
        return new Isolation(missing, namespaces, groups, network);
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(ROOT);
        } catch (IOException | UnsupportedOperationException notLinux) {
            return false;
        }
    }

    private void probeUser(boolean root) {
        Optional<String> reason =
                root
                        ? trial(Launch.asUser(user, OptionalInt.empty(), List.of("true")), Map.of())
                        : Optional.of("the platform does not run as root");
        reason.ifPresent(
                why ->
                        missing.put(
                                IsolationFeature.OWN_USER,
                                "Instances have the user id of the platform: " + why));
    }

    private Isolation.Namespaces probeNamespaces(boolean root) {
        Isolation.Namespaces way =
                root ? Isolation.Namespaces.AS_ROOT : Isolation.Namespaces.IN_USER_NAMESPACE;
        Optional<String> reason = namespaceProblem(way);
        if (reason.isEmpty()) {
            return way;
        }
        missing.put(
                IsolationFeature.NAMESPACES,
                "Instances see the processes of the machine and all files that their user may"
                        + " read, because namespaces cannot be created: "
                        + reason.get());
        return Isolation.Namespaces.NONE;
    }

    private Optional<String> namespaceProblem(Isolation.Namespaces way) {
        InstanceFolder trial = new InstanceFolder(folder.resolve("trial"));
        try {
            trial.delete();
            trial.create(OptionalInt.empty());
            ViewPlan plan =
                    new ViewPlan(
                            trial,
                            List.of(),
                            List.of(),
                            InstanceLimits.DEFAULT.memoryBytesMax(),
                            OptionalInt.empty());
            Optional<String> problem =
                    trial(Launch.inNamespaces(way, List.of("true")), plan.prepare());
            trial.delete();
            return problem;
        } catch (IOException e) {
            return Optional.of(FileProblem.reason(e));
        }
    }

    private ControlGroups probeGroups() {
        Map<ControlGroups.Controller, String> problems =
                new EnumMap<>(ControlGroups.Controller.class);
        String trial = "petrichor-trial-" + ProcessHandle.current().pid();
        ControlGroups groups = ControlGroups.find(trial, problems);
        problems.forEach(
                (controller, problem) ->
                        missing.put(
                                controller.feature,
                                switch (controller) {
                                            case MEMORY ->
                                                    "The memory of an instance is limited for each"
                                                            + " of its processes, not for all"
                                                            + " together: ";
                                            case CPU ->
                                                    "The processor time of instances is not"
                                                            + " limited: ";
                                            case PIDS ->
                                                    "The number of processes of an instance is"
                                                            + " limited only together with others"
                                                            + " of its user: ";
                                        }
                                        + problem));
        return groups;
    }

    private Optional<NetworkGuard> probeNetwork(ControlGroups groups) {
        String reason;
        ControlGroup trial =
                groups.group("petrichor-network-trial-" + ProcessHandle.current().pid());
        try {
            Optional<Path> folder = trial.unifiedFolder();
            if (folder.isPresent()) {
                Files.createDirectory(folder.get());
                return Optional.of(NetworkGuard.probe(folder.get()));
            }
            reason = "no group can be created in a unified hierarchy of control groups";
        } catch (IOException e) {
            reason = FileProblem.reason(e);
        } finally {
            trial.remove();
        }
        missing.put(
                IsolationFeature.NETWORK,
                "Instances can connect to each other, to the platform's pages and to all other"
                        + " services of this machine, and other machines to an instance that"
                        + " listens on all addresses: "
                        + reason);
        return Optional.empty();
    }

    /** Runs a command; empty if it succeeds, otherwise the reason. */
    private static Optional<String> trial(List<String> command, Map<String, String> variables) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().clear();
            builder.environment().put("PATH", Launch.SYSTEM_PATH);
            builder.environment().putAll(variables);
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(TRIAL_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of("a trial did not end within " + TRIAL_SECONDS_MAX + " s");
            }
            if (process.exitValue() == 0) {
                return Optional.empty();
            }
            String output =
                    new String(
                            process.getInputStream().readNBytes(REASON_CHARS_MAX),
                            StandardCharsets.UTF_8);
            String first = output.lines().findFirst().orElse("");
            return Optional.of(
                    first.isEmpty() || process.exitValue() == NOT_FOUND
                            ? "a trial of " + command.getFirst() + " failed: " + first
                            : first);
        } catch (IOException e) {
            return Optional.of(command.getFirst() + " is not available");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("the trial was interrupted");
        }
    }
}
