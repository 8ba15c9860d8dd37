package petrichor.apps.builds;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What encloses the commands of builds: a session and process group of their own, and as root also
 * an unprivileged user without any way to new privileges, a process namespace, and a limit on
 * processes. Immutable.
 *
 * <p>The namespace ends with its first process, and so does every process in it, also one that left
 * the process group. Containers may forbid namespaces; then the processes of a command are found by
 * a variable of their environment ({@link ProcessTree}).
 */
final class Confinement {
    /** Of one user at a time: stops fork bombs, permits a parallel compilation. */
    private static final int PROCESSES_MAX = 4_096;

    private static final List<String> NAMESPACE =
            List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--");

    /**
     * setpriv keeps root's capabilities until its exec, which would find programs that the user
     * cannot reach. The shell has none when it looks for the command.
     */
    private static final List<String> UNPRIVILEGED_EXEC =
            List.of("/bin/sh", "-c", "exec \"$@\"", "sh");

    private final boolean namespaces;

    Confinement(boolean namespaces) {
        this.namespaces = namespaces;
    }

    boolean namespaces() {
        return namespaces;
    }

    /** The command line that runs another one in its confinement. */
    List<String> enclose(List<String> command, @Nullable BuildUser user) {
        List<String> line = new ArrayList<>();
        line.add("setsid");
        line.add("--");
        if (namespaces) {
            line.addAll(NAMESPACE);
        }
        line.addAll(List.of("prlimit", "--core=0"));
        if (user == null) {
            line.add("--");
        } else {
            line.addAll(List.of("--nproc=" + PROCESSES_MAX, "--", "setpriv"));
            line.addAll(List.of("--reuid", String.valueOf(user.uid())));
            line.addAll(List.of("--regid", String.valueOf(user.gid())));
            line.addAll(List.of("--clear-groups", "--no-new-privs"));
            line.addAll(List.of("--inh-caps=-all", "--bounding-set=-all"));
            if (namespaces) {
                // The change of user clears the signal that ends the namespace with its parent.
                line.addAll(List.of("--pdeathsig", "KILL"));
            }
            line.add("--");
            line.addAll(UNPRIVILEGED_EXEC);
        }
        line.addAll(command);
        return line;
    }
}
