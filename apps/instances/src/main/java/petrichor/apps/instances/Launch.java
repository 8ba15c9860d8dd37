package petrichor.apps.instances;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The command that starts an instance: a chain of scripts, each of which runs the next one. The
 * app's environment is passed to the last one only, on standard input: variables such as LD_PRELOAD
 * must not reach a stage that still runs as root. Stateless.
 */
final class Launch {
    /** Of all stages but the app. */
    static final String SYSTEM_PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final String ENTER = script("enter.sh");
    private static final String VIEW = script("view.sh");
    private static final String INIT = script("init.sh");
    private static final String APP = script("app.sh");
    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

    private Launch() {}

    /**
     * @param user own user id, if the isolation has one
     */
    static List<String> command(
            InstanceSpec spec, Path code, Isolation isolation, OptionalInt user) {
        boolean own = isolation.namespaces() != Isolation.Namespaces.NONE;
        List<String> app = new ArrayList<>();
        app.addAll(limits(spec.limits(), isolation, user));
        app.addAll(List.of("env", "-i", "PATH=" + SYSTEM_PATH, "sh", "-c", APP, "app"));
        app.add(code.toString());
        app.addAll(spec.command().arguments());
        List<String> init = new ArrayList<>(shell(INIT, "init"));
        init.add(own ? "namespace" : "group");
        if (!own) {
            init.add("setsid");
        }
        init.addAll(asUserOf(isolation, user, spec.files().group(), app));
        List<String> enter = new ArrayList<>();
        if (isolation.has(IsolationFeature.ENDS_WITH_PLATFORM)) {
            enter.addAll(List.of("setpriv", "--pdeathsig", "KILL"));
        }
        enter.addAll(shell(ENTER, "enter"));
        enter.addAll(own ? inNamespaces(isolation.namespaces(), init) : init);
        return enter;
    }

    private static List<String> asUserOf(
            Isolation isolation, OptionalInt user, OptionalInt group, List<String> command) {
        if (!isolation.has(IsolationFeature.ENDS_WITH_PLATFORM)) {
            // There is no setpriv, and hence no own user.
            return command;
        }
        if (user.isPresent()) {
            return asUser(user.getAsInt(), group, command);
        }
        List<String> all = new ArrayList<>(List.of("setpriv", "--no-new-privs"));
        if (isolation.namespaces() != Isolation.Namespaces.NONE) {
            // It has the user id of root in its namespace, but no privileges.
            all.addAll(List.of("--bounding-set=-all", "--inh-caps=-all"));
        }
        all.addAll(List.of("--pdeathsig", "KILL"));
        all.addAll(command);
        return all;
    }

    /**
     * Runs a command as another user, without any capability.
     *
     * @param group its only further group
     */
    static List<String> asUser(int user, OptionalInt group, List<String> command) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "setpriv",
                                "--reuid=" + user,
                                "--regid=" + user,
                                group.isPresent()
                                        ? "--groups=" + group.getAsInt()
                                        : "--clear-groups",
                                "--no-new-privs",
                                "--bounding-set=-all",
                                "--inh-caps=-all",
                                "--pdeathsig",
                                "KILL"));
        all.addAll(command);
        return all;
    }

    /** Runs a command in its own namespaces and view of the files. */
    static List<String> inNamespaces(Isolation.Namespaces way, List<String> command) {
        List<String> all = new ArrayList<>(List.of("unshare"));
        if (way == Isolation.Namespaces.IN_USER_NAMESPACE) {
            all.addAll(List.of("--user", "--map-root-user"));
        }
        all.addAll(List.of("--mount", "--pid", "--ipc", "--fork", "--kill-child=KILL"));
        all.addAll(shell(VIEW, "view"));
        all.addAll(command);
        return all;
    }

    /** Limits per process or per user where there is no control group for it. */
    private static List<String> limits(
            InstanceLimits limits, Isolation isolation, OptionalInt user) {
        if (!Files.isExecutable(PRLIMIT)) {
            return List.of();
        }
        List<String> all = new ArrayList<>(List.of(PRLIMIT.toString(), "--core=0"));
        if (!isolation.has(IsolationFeature.MEMORY_LIMIT)) {
            all.add("--data=" + limits.memoryBytesMax());
        }
        // Without its own user or user namespace, the platform's processes would be counted.
        boolean counted =
                user.isPresent()
                        || isolation.namespaces() == Isolation.Namespaces.IN_USER_NAMESPACE;
        if (!isolation.has(IsolationFeature.PROCESS_LIMIT) && counted) {
            all.add("--nproc=" + limits.processesMax());
        }
        return all;
    }

    /** The environment as a script for {@code app.sh}. */
    static byte[] environment(Map<String, String> variables) {
        StringBuilder script = new StringBuilder();
        variables.forEach(
                (name, value) ->
                        script.append("export ")
                                .append(name)
                                .append("='")
                                .append(value.replace("'", "'\\''"))
                                .append("'\n"));
        return script.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> shell(String script, String name) {
        return List.of("sh", "-c", script, name);
    }

    private static String script(String name) {
        try (InputStream in = Launch.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing");
            }
            // Without comments: the script is visible in the list of processes.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.strip().startsWith("#"))
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new IllegalStateException("the resource " + name + " cannot be read", e);
        }
    }
}
