package petrichor.apps.builds;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * An installed Python.
 *
 * @param executable of the installation itself, not of a virtual environment or a shim
 * @param pip version of the installation's pip; empty if it has none
 */
record PythonInterpreter(Path executable, String version, String pip) {
    /** The first version of pip that installs into another environment. */
    private static final String PIP_INSTALLS_ELSEWHERE = "22.3";

    /** The first version of Python whose virtual environments pip can fill without own pip. */
    private static final String OLDEST = "3.9";

    private static final String QUESTION =
            """
            import sys
            try:
                from importlib.metadata import version
                pip = version('pip')
            except Exception:
                pip = ''
            print('%d.%d.%d' % sys.version_info[:3])
            print(getattr(sys, '_base_executable', None) or sys.executable)
            print(pip)
            """;

    /** The first that matches and has pip; FAILED_PRECONDITION says what to install. */
    static PythonInterpreter find(AppRuntime runtime, Tools tools, @Nullable BuildUser user) {
        Set<String> others = new LinkedHashSet<>();
        @Nullable PythonInterpreter withoutPip = null;
        for (Path candidate : candidates(runtime, tools)) {
            PythonInterpreter python = ask(candidate, tools, user);
            if (python == null) {
                continue;
            }
            if (!runtime.isMatchedBy(python.version())
                    || AppRuntime.compare(python.version(), OLDEST) < 0) {
                others.add(python.version());
            } else if (python.canInstall()) {
                return python;
            } else {
                withoutPip = python;
            }
        }
        if (withoutPip != null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "Python {version} has no pip {pip} or newer: install the package python3-pip",
                    "version",
                    withoutPip.version(),
                    "pip",
                    PIP_INSTALLS_ELSEWHERE);
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{runtime} is not installed for the user of builds (found: {found}): install it, or"
                        + " choose an installed version",
                "runtime",
                runtime.title(),
                "found",
                others.isEmpty() ? "none" : String.join(", ", others));
    }

    /** Whether this pip can fill an environment that has no pip. */
    private boolean canInstall() {
        return !pip.isEmpty() && AppRuntime.compare(pip, PIP_INSTALLS_ELSEWHERE) >= 0;
    }

    private static List<Path> candidates(AppRuntime runtime, Tools tools) {
        String[] numbers = runtime.version().split("\\.", -1);
        List<Path> candidates = new ArrayList<>();
        if (numbers.length > 1) {
            candidates.addAll(tools.find("python" + numbers[0] + "." + numbers[1]));
        }
        candidates.addAll(tools.find("python3"));
        candidates.addAll(tools.find("python"));
        return candidates;
    }

    private static @Nullable PythonInterpreter ask(
            Path candidate, Tools tools, @Nullable BuildUser user) {
        // -I: neither the user's packages nor variables change the answer.
        String answer = tools.ask(candidate, List.of("-I", "-c", QUESTION), user);
        List<String> lines = answer == null ? List.of() : answer.lines().toList();
        return lines.size() < 2
                ? null
                : new PythonInterpreter(
                        Path.of(lines.get(1)),
                        lines.get(0),
                        lines.size() < 3 ? "" : lines.get(2).strip());
    }
}
