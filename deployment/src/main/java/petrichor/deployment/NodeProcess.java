package petrichor.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The server process of one node, on its host. It runs detached and outlives this process. Next to
 * the node's folder are its log and a file that identifies the process: its id and start time, so
 * that another process that later gets the same id is never mistaken for it, and never killed. Not
 * thread-safe.
 */
final class NodeProcess {
    private static final Duration PREPARATION_TIME_MAX = Duration.ofMinutes(5);

    /** Maximum time for a killed process to end. */
    private static final Duration KILL_TIME_MAX = Duration.ofSeconds(20);

    static final int LOG_LINES_SHOWN = 12;

    private static final int TICKS_PER_SECOND = 10;

    private static final String ROOT = "0";

    /** Debian's user {@code nobody}, for servers that refuse to run as root. */
    private static final String NOBODY = "65534";

    /** Shell functions that find the process and its children. */
    private static final String FUNCTIONS =
            """
            started() {
                if [ -d /proc/self ]; then
                    set -- $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)
                    case ${1:-Z} in Z | X) return 1 ;; esac
                    echo "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null):${20}"
                else
                    ps -o lstart= -p "$1" | tr ' ' _
                fi
            }
            running() {
                # A process that ended before it could be looked at has no beginning.
                [ -r "$file" ] && read -r pid since <"$file" && [ -n "$since" ] &&
                    [ "$(started "$pid")" = "$since" ]
            }
            family() {
                for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do family "$child"; done
                echo "$1"
            }
            # Ended processes keep their number until their parent has looked: some servers wait for that.
            buried() {
                for one in "$@"; do
                    tick=0
                    while kill -s 0 "$one" 2>/dev/null && [ $tick -lt 50 ]; do
                        tick=$((tick + 1))
                        sleep 0.1
                    done
                done
            }
            gone() {
                tick=0
                while running; do
                    [ $tick -lt "$1" ] || return 1
                    tick=$((tick + 1))
                    sleep 0.1
                done
            }
            """;

    private final Host host;
    private final Node node;
    private final String file;
    private final String log;
    private final String prepared;

    NodeProcess(Host host, Node node) {
        this.host = host;
        this.node = node;
        this.file = node.folder() + ".process";
        this.log = node.folder() + ".log";
        this.prepared = node.folder() + ".prepared";
    }

    Host host() {
        return host;
    }

    Path log() {
        return Path.of(log);
    }

    OptionalLong pid() {
        Shell.Ended found = script("running && echo \"$pid\"", Shell.QUICK);
        return found.succeeded()
                ? OptionalLong.of(Long.parseLong(found.output().strip()))
                : OptionalLong.empty();
    }

    boolean runs() {
        return script("running", Shell.QUICK).succeeded();
    }

    /** Writes the node's files, prepares it on the first start, and starts its process. */
    void start(NodeRecipe recipe, Map<String, String> environment) {
        String folder = Shell.quoted(node.folder().toString());
        List<String> found =
                script(
                                """
                                umask 022; set -e
                                mkdir -p %1$s
                                [ -e %2$s ] || { rm -rf %1$s; mkdir %1$s; }
                                chmod 700 %1$s
                                id -u; [ ! -e %2$s ] || echo prepared
                                """
                                        .formatted(folder, Shell.quoted(prepared)),
                                Shell.QUICK)
                        .required("create the folder " + node.folder())
                        .lines()
                        .toList();
        recipe.files().forEach(this::write);
        String as = "env";
        for (var entry : environment.entrySet()) {
            as += " " + Shell.quoted(entry.getKey() + "=" + entry.getValue());
        }
        if (recipe.unprivileged() && found.getFirst().equals(ROOT)) {
            as += stepDown(folder);
        }
        if (!found.getLast().equals("prepared")) {
            prepare(recipe, folder, as);
        }
        String start =
                """
                running && exit 0
                cd %s || exit
                setsid %s %s </dev/null >>%s 2>&1 &
                pid=$!
                echo "$pid $(started "$pid")" >"$file"
                """
                        .formatted(folder, as, Shell.quoted(recipe.command()), Shell.quoted(log));
        script(start, Shell.QUICK).required("start node " + node);
    }

    /** Through standard input, so that no secret appears in the list of processes. */
    private void write(String path, String text) {
        Path to = node.folder().resolve(path).normalize();
        if (!to.startsWith(node.folder())) {
            throw new IllegalArgumentException(path + " is not in the node's folder");
        }
        Path above = to.getParent();
        Shell.run(
                        host,
                        "umask 077; mkdir -p %s && cat >%s"
                                .formatted(
                                        Shell.quoted(String.valueOf(above)),
                                        Shell.quoted(to.toString())),
                        stdin -> stdin.write(text.getBytes(UTF_8)),
                        Shell.QUICK)
                .required("write " + to);
    }

    /**
     * The command prefix with which root runs a command as another user, who then owns the folder.
     */
    private String stepDown(String folder) {
        String as = "setpriv --reuid=%1$s --regid=%1$s --clear-groups".formatted(NOBODY);
        String take =
                """
                chown -R %s:%s %s
                cd / && %s sh -c 'cd "$1"' sh %s
                """
                        .formatted(NOBODY, NOBODY, folder, as, folder);
        if (!script(take, Shell.QUICK).succeeded()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "this server refuses to run as root, and the user "
                            + NOBODY
                            + " used instead cannot enter {folder}; choose a folder that all users"
                            + " can enter (--data), or do not run this command as root",
                    "folder",
                    node.folder());
        }
        return " HOME=" + folder + " " + as;
    }

    private void prepare(NodeRecipe recipe, String folder, String as) {
        StringBuilder script = new StringBuilder("set -e; cd " + folder + "\n");
        for (List<String> command : recipe.preparation()) {
            script.append(as).append(' ').append(Shell.quoted(command));
            script.append(" </dev/null >>").append(Shell.quoted(log)).append(" 2>&1\n");
        }
        script.append("touch ").append(Shell.quoted(prepared)).append('\n');
        Shell.Ended ended = script(script.toString(), PREPARATION_TIME_MAX);
        if (!ended.succeeded()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "node {node} could not be prepared; the last lines of {log} on {host}:\n"
                            + "{logEnd}",
                    "node",
                    node,
                    "log",
                    log,
                    "host",
                    host.name(),
                    "logEnd",
                    logEnd(LOG_LINES_SHOWN));
        }
    }

    /**
     * Sends the signal, and kills the process if it does not end within {@code timeMax}. True if it
     * ended by itself, or did not run.
     */
    boolean stop(String signal, Duration timeMax) {
        String script =
                """
                running || { rm -f "$file"; exit 0; }
                all=$(family "$pid")
                kill -s %s "$pid"; kill -s CONT $all 2>/dev/null
                gone %d && { buried $all; rm -f "$file"; exit 0; }
                %s
                exit 3
                """
                        .formatted(signal, ticks(timeMax), killing());
        Shell.Ended ended = script(script, timeMax.plus(KILL_TIME_MAX).plus(Shell.QUICK));
        if (ended.code() == 3) {
            return false;
        }
        ended.required("stop node " + node);
        return true;
    }

    /** SIGKILL, to the process and its children. */
    void kill() {
        script("running || exit 0\n" + killing(), KILL_TIME_MAX.plus(Shell.QUICK))
                .required("kill node " + node);
    }

    private static String killing() {
        return """
        kill -s STOP "$pid" 2>/dev/null
        all=$(family "$pid")
        kill -s KILL $all 2>/dev/null
        gone %d || { echo "process $pid does not end" >&2; exit 4; }
        buried $all
        rm -f "$file"
        """
                .formatted(ticks(KILL_TIME_MAX));
    }

    /** SIGSTOP: the process exists but does nothing. Returns when all its threads are stopped. */
    void pause() {
        script(
                        """
                        running || exit 1
                        all=$(family "$pid")
                        kill -s STOP $all 2>/dev/null # a child may have ended just now
                        for each in $all; do
                          while cat /proc/$each/task/*/stat 2>/dev/null | grep -qv ') [TtZX] '; do
                            sleep 0.01
                          done
                        done
                        """,
                        Shell.QUICK)
                .required("pause node " + node);
    }

    void resume() {
        script(
                        """
                        running || exit 1
                        kill -s CONT $(family "$pid") 2>/dev/null # a child may have ended just now
                        running
                        """,
                        Shell.QUICK)
                .required("resume node " + node);
    }

    String logEnd(int lines) {
        return Shell.run(host, "tail -n " + lines + " " + Shell.quoted(log))
                .output()
                .stripTrailing();
    }

    void requireStopped() {
        if (runs()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "node {node} is running; stop it before wiping its data",
                    "node",
                    node);
        }
    }

    /** Deletes the node's folder, its log and its process file. */
    void wipe() {
        requireStopped();
        script(
                        "rm -rf %s %s %s \"$file\""
                                .formatted(
                                        Shell.quoted(node.folder().toString()),
                                        Shell.quoted(log),
                                        Shell.quoted(prepared)),
                        PREPARATION_TIME_MAX)
                .required("wipe node " + node);
    }

    private static long ticks(Duration time) {
        return time.toSeconds() * TICKS_PER_SECOND;
    }

    /** Through standard input, as it may contain a secret. */
    private Shell.Ended script(String script, Duration timeMax) {
        String whole = "file=" + Shell.quoted(file) + "\n" + FUNCTIONS + script + "\n";
        return Shell.run(host, "exec sh -s", stdin -> stdin.write(whole.getBytes(UTF_8)), timeMax);
    }

    @Override
    public String toString() {
        return node + " on " + host.name();
    }
}
